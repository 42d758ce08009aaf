import { useEndless, useMeetings } from '@stagepass/react'
import { Link, useSearchParams } from 'react-router'

export function Meetings() {
  const [params, setParams] = useSearchParams()
  const search = params.get('search') ?? ''
  const sort = params.get('sort') ?? ''
  const list = useMeetings({ search, sortBy: sort === 'longest' ? 'duration' : 'date', fields: ['title'] })
  const { endRef, loadMore } = useEndless(list)
  function filter(name: string, value: string) {
    const next = new URLSearchParams(params)
    if (value) next.set(name, value)
    else next.delete(name)
    setParams(next, { replace: true, preventScrollReset: true })
  }
  return (
    <>
      <input
        type="search"
        aria-label="Search"
        defaultValue={search}
        onChange={({ target }) => filter('search', target.value)}
      />
      <select aria-label="Order" defaultValue={sort} onChange={({ target }) => filter('sort', target.value)}>
        <option value="">Newest</option>
        <option value="longest">Longest</option>
      </select>
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
