import { useMeetings, useMeetingsForm } from '@stagepass/react'
import { Link, useSearchParams } from 'react-router'

export function Meetings() {
  const [params, setParams] = useSearchParams()
  const { filters, form, controls, isFiltered, problem, problemProps } = useMeetingsForm({
    initial: params,
    onChange: (values) => setParams(values, { replace: true, preventScrollReset: true }),
  })
  const { meetings, hasNextPage, fetchNextPage } = useMeetings({ ...filters, fields: ['title'] })
  return (
    <>
      <form {...form}>
        <input aria-label="Search" {...controls.search} />
        <select aria-label="Order" {...controls.sort}>
          <option value="newest">Newest</option>
          <option value="longest">Longest</option>
        </select>
        <input aria-label="From" {...controls.from} />
        <input aria-label="To" {...controls.to} />
        {problem && <p {...problemProps}>The first day is after the last one, or one is in the future.</p>}
        {isFiltered && <button type="reset">Clear filters</button>}
      </form>
      <ul>
        {meetings.map(({ id, title }) => (
          <li key={id}>
            <Link to={`/meetings/${id}`}>{title ?? 'Untitled'}</Link>
          </li>
        ))}
      </ul>
      {hasNextPage && <button onClick={() => void fetchNextPage()}>Load more</button>}
    </>
  )
}
