import type { MeetingFieldName, MeetingWith, Participant } from '@stagepass/react'
import type { ReactNode } from 'react'
import { formatDuration, formatMoment } from '../ui/format.js'

/** A row whose fields are chosen while the program runs: any of them may be missing. */
export type ListedMeeting = MeetingWith<readonly MeetingFieldName[]>

interface MeetingRowProps {
  readonly meeting: ListedMeeting
  readonly chosen: boolean
  readonly tagNames: ReadonlyMap<string, string>
  readonly onChoose: (id: string) => void
}

export function MeetingRow({ meeting, chosen, tagNames, onChoose }: MeetingRowProps): ReactNode {
  const { id, title, started_at, duration, source, status, tags, ownership, participants } = meeting
  const { created_at, updated_at } = meeting
  const facts = [
    started_at && `Started ${formatMoment(started_at)}`,
    duration !== undefined && formatDuration(duration),
    source?.replaceAll('_', ' '),
    status,
  ].filter(Boolean)

  return (
    <li>
      <button className="meeting" id={`meeting-${id}`} aria-current={chosen} onClick={() => onChoose(id)}>
        <span className="meeting-title">
          {title === undefined ? id : (title ?? 'Untitled meeting')}
          {ownership === 'shared' && <span className="badge">Shared</span>}
        </span>
        {created_at && <span className="meeting-facts numbers">Created {formatMoment(created_at)}</span>}
        {updated_at && (
          <span className="meeting-facts numbers">Last modified {formatMoment(updated_at)}</span>
        )}
        <span className="meeting-facts numbers">{facts.join(' · ')}</span>
        {participants && <span className="meeting-facts">{participants.map(nameOf).join(', ')}</span>}
        {tags && tags.length > 0 && (
          <span className="row">
            {tags.map((tag) => (
              <span className="badge" key={tag}>
                {tagNames.get(tag) ?? tag}
              </span>
            ))}
          </span>
        )}
      </button>
    </li>
  )
}

/** Every part of a participant may be null. */
export function nameOf({ first_name, last_name, email }: Participant): string {
  return [first_name, last_name].filter(Boolean).join(' ') || email || 'Somebody'
}
