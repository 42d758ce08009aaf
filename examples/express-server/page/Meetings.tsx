import { useMeetings } from '@stagepass/react'

/** The user's own meetings, page by page. */
export function Meetings() {
  const { meetings, error, hasNextPage, fetchNextPage } = useMeetings({
    ownership: 'mine',
    fields: ['title'],
  })
  return (
    <section>
      <h2>Meetings</h2>
      <ul aria-label="Meetings">
        {meetings.map(({ id, title }) => (
          <li key={id}>{title ?? 'Untitled'}</li>
        ))}
      </ul>
      {hasNextPage && <button onClick={() => void fetchNextPage()}>Load more</button>}
      {error && <p role="alert">{error.message}</p>}
    </section>
  )
}
