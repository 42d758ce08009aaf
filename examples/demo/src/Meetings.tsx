import { MEETING_FIELDS } from '@stagepass/contract'
import type { MeetingFieldName } from '@stagepass/react'
import { MeetingsList } from '@stagepass/registry/meetings-list'
import type { ReactNode } from 'react'
import { type ContentFields, MeetingContent } from './MeetingContent.js'
import { type UserId, USERS } from './users.js'
import type { Gauges } from './wire/useDemoFeed.js'

/** For a user without shared meetings and tags. */
const FEWER_FILTERS = ['search', 'sort', 'from', 'to'] as const
/** A declaration of `ExtraMeetingFields` would make the cast needless; see `ContentFields`. */
const WITH_CONTENT = [...MEETING_FIELDS, 'notes', 'transcript'] as readonly MeetingFieldName[]

interface MeetingsProps {
  readonly user: UserId
  readonly upstream: Gauges['upstream']
}

export function Meetings({ user, upstream }: MeetingsProps): ReactNode {
  const { name, meetings } = USERS[user]
  // Whether the real service sends them is not known.
  const fields = meetings?.fields ?? (upstream === 'emulator' ? WITH_CONTENT : MEETING_FIELDS)
  return (
    <article className="card meetings">
      <MeetingsList
        label={`Meetings of ${name}`}
        fields={fields}
        {...(meetings && { filters: FEWER_FILTERS })}
      >
        {(meeting) => <MeetingContent {...(meeting as ContentFields)} />}
      </MeetingsList>
    </article>
  )
}
