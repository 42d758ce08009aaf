import type { ReactNode } from 'react'
import { useEffect, useState } from 'react'
import type { Browser } from '../Browser.js'

interface MeetingsProps extends Browser {
  readonly search: string
}

export function Meetings({ fetch, search }: MeetingsProps): ReactNode {
  const [found, setFound] = useState('…')

  useEffect(() => {
    const leave = new AbortController()
    async function load(): Promise<void> {
      const query = new URLSearchParams({ q: search })
      const response = await fetch(
        `/api/meetings?${query.toString()}`,
        { signal: leave.signal },
      )
      if (!response.ok) throw new Error(`error ${response.status}`)
      const { meetings } = (await response.json()) as {
        meetings: unknown[]
      }
      setFound(`${meetings.length} found`)
    }
    load().catch(
      (thrown: Error) =>
        leave.signal.aborted || setFound(thrown.message),
    )
    return () => leave.abort()
  }, [fetch, search])

  return found
}
