import { MeetingsList } from '@stagepass/registry/meetings-list'
import type { ReactNode } from 'react'
import { Fold } from './Fold.js'
import { type UserId, USERS } from './users.js'

/** For a user without shared meetings and tags. */
const FEWER_FILTERS = ['search', 'sort', 'from', 'to'] as const

export function Meetings({ user }: { readonly user: UserId }): ReactNode {
  const { name, meetings } = USERS[user]
  const label = `Meetings of ${name}`
  return (
    <Fold title="Meetings" purpose="What the service has kept: search it, and open a meeting.">
      {meetings ? (
        <MeetingsList label={label} filters={FEWER_FILTERS} fields={meetings.fields} />
      ) : (
        <MeetingsList label={label} />
      )}
    </Fold>
  )
}
