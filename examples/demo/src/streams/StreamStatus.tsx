import type { StreamStatus as Status } from '@stagepass/react'
import type { ReactNode } from 'react'

const WORDS: Readonly<Record<Status, string>> = {
  idle: 'Not connected',
  connecting: 'Connecting',
  open: 'Connected',
  reconnecting: 'Reconnecting',
  closed: 'Disconnected',
  failed: 'Failed',
}

/** Where the stream stands; read out when it changes. */
export function StreamStatus({
  name,
  status,
}: {
  readonly name: string
  readonly status: Status
}): ReactNode {
  return (
    <p className="status" data-status={status} role="status">
      <span className="unseen">{name}: </span>
      {WORDS[status]}
    </p>
  )
}
