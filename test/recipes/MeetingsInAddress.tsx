import { useEndless, useMeetings, useMeetingsForm } from '@stagepass/react'
import { Link, useSearchParams } from 'react-router'

export function Meetings() {
  const [params, setParams] = useSearchParams()
  const { filters, form, controls, isFiltered, problem, problemProps } = useMeetingsForm({
    initial: params,
    onChange: (values) => setParams(values, { replace: true, preventScrollReset: true }),
  })
  const list = useMeetings({ ...filters, fields: ['title'] })
  const { endRef, loadMore } = useEndless(list)
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
        {list.meetings.map(({ id, title }) => (
          <li key={id}>
            <Link to={`/meetings/${id}`}>{title ?? 'Untitled'}</Link>
          </li>
        ))}
      </ul>
      {list.error && <p role="alert">{list.error.message}</p>}
      {(list.hasNextPage || list.isError) && (
        <button ref={endRef} onClick={loadMore}>
          {list.isError ? 'Try again' : 'Load more'}
        </button>
      )}
    </>
  )
}
