import { useMeetings } from '@stagepass/react'
import type { ReactNode } from 'react'

export function Meetings({
  search,
}: {
  readonly search: string
}): ReactNode {
  const { meetings, status, error } = useMeetings({
    search,
    fields: ['title'],
  })
  if (error) return `error ${error.status}`
  return status === 'pending' ? '…' : `${meetings.length} found`
}
