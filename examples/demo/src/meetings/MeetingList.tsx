import type { UseMeetingsResult } from '@stagepass/react'
import type { ReactNode } from 'react'
import { useEffect, useRef } from 'react'
import { ErrorNotice } from '../errors/ErrorNotice.js'
import type { ListedMeeting } from './MeetingRow.js'
import { MeetingRow } from './MeetingRow.js'

interface MeetingListProps {
  readonly list: UseMeetingsResult<ListedMeeting>
  readonly chosen: string | undefined
  readonly tagNames: ReadonlyMap<string, string>
  readonly onChoose: (id: string) => void
  readonly onReset: () => void
}

export function MeetingList({ list, chosen, tagNames, onChoose, onReset }: MeetingListProps): ReactNode {
  const { meetings, status, error, hasNextPage, isFetchingNextPage, fetchNextPage } = list
  const waitsFor = list.isFetching ? list.failureReason : null
  const endRef = useRef<HTMLDivElement>(null)
  const wantsMore = hasNextPage && !isFetchingNextPage && !error

  useEffect(() => {
    const end = endRef.current
    if (!end || !wantsMore) return undefined
    const seen = new IntersectionObserver(
      // A busy browser reports several changes at once; the last one holds.
      (changes) => {
        if (changes.at(-1)?.isIntersecting) void fetchNextPage()
      },
      { rootMargin: '240px' },
    )
    seen.observe(end)
    return () => seen.disconnect()
  }, [wantsMore, fetchNextPage])

  return (
    <div className="meeting-list" aria-busy={list.isFetching} data-stale={list.isPlaceholderData}>
      {waitsFor && <ErrorNotice error={waitsFor} passing />}
      {status === 'pending' && !waitsFor && <Skeleton />}
      {status === 'success' && meetings.length === 0 && (
        <div className="empty">
          <strong>No meeting matches</strong>
          <p>Search for less, or widen the dates.</p>
          <button className="button" onClick={onReset}>
            Clear all filters
          </button>
        </div>
      )}
      <ul aria-label="Meetings">
        {meetings.map((meeting) => (
          <MeetingRow
            key={meeting.id}
            meeting={meeting}
            chosen={meeting.id === chosen}
            tagNames={tagNames}
            onChoose={onChoose}
          />
        ))}
      </ul>
      {error && (
        <ErrorNotice
          error={error}
          action={
            <button
              className="link"
              onClick={() => void (meetings.length > 0 ? fetchNextPage() : list.refresh())}
            >
              Try again
            </button>
          }
        />
      )}
      <div ref={endRef} className="meeting-more">
        {hasNextPage && (
          <button className="button quiet" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? 'Loading more…' : 'Load more'}
          </button>
        )}
        {!hasNextPage && !list.isPlaceholderData && meetings.length > 0 && <span>That is all of them.</span>}
      </div>
    </div>
  )
}

function Skeleton(): ReactNode {
  return (
    <div className="skeleton" role="status">
      <span className="unseen">Loading meetings</span>
      {[70, 55, 80, 60, 45].map((width) => (
        <div key={width} style={{ width: `${width}%` }} />
      ))}
    </div>
  )
}
