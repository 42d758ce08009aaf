import { MeetingsList } from '@stagepass/registry/meetings-list'
import type { ReactNode } from 'react'
import { type UserId, USERS } from './users.js'
import type { Gauges } from './wire/useDemoFeed.js'

/** For a user without shared meetings and tags. */
const FEWER_FILTERS = ['search', 'sort', 'from', 'to'] as const

interface MeetingsProps {
  readonly user: UserId
  readonly upstream: Gauges['upstream'] | undefined
}

export function Meetings({ user }: MeetingsProps): ReactNode {
  const { name, meetings } = USERS[user]
  const label = `Meetings of ${name}`
  return (
    <article className="card meetings">
      {meetings ? (
        <MeetingsList label={label} filters={FEWER_FILTERS} fields={meetings.fields} />
      ) : (
        <MeetingsList label={label} />
      )}
    </article>
  )
}
