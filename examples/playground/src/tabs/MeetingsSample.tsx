import { useMeetings, VoiceProvider } from '@stagepass/react'
import type { ReactNode } from 'react'
import { useState } from 'react'
import type { SampleProps } from './Tab.js'

export function MeetingsSample({ voice }: SampleProps): ReactNode {
  return (
    <VoiceProvider client={voice}>
      <Meetings />
    </VoiceProvider>
  )
}

function Meetings(): ReactNode {
  const [search, setSearch] = useState('')
  const [ownership, setOwnership] = useState<'all' | 'mine' | 'shared'>('all')
  // A search is sent when the user stops typing. A request for an old filter is aborted.
  const list = useMeetings({ search, ownership, fields: ['title', 'duration'], pageSize: 5 })

  return (
    <>
      <div className="row">
        <input
          type="search"
          aria-label="Search"
          placeholder="Search"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <label>
          Owner
          <select
            value={ownership}
            onChange={({ target }) => setOwnership(target.value as 'all' | 'mine' | 'shared')}
          >
            <option value="all">all</option>
            <option value="mine">mine</option>
            <option value="shared">shared</option>
          </select>
        </label>
      </div>
      {list.error && <p role="alert">{list.error.message}</p>}
      <p role="status">
        {list.status === 'pending' ? 'Loading…' : `${list.meetings.length} of ${list.total} shown`}
      </p>
      <ul className="meetings" aria-busy={list.isPlaceholderData}>
        {list.meetings.map((meeting) => (
          <li key={meeting.id}>
            {meeting.title ?? 'Untitled'} <small>{Math.round(meeting.duration / 60)} min</small>
          </li>
        ))}
      </ul>
      <div className="row">
        <button
          disabled={!list.hasNextPage || list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          Load more
        </button>
        <button disabled={list.isRefreshing} onClick={() => void list.refresh()}>
          Refresh
        </button>
      </div>
    </>
  )
}
