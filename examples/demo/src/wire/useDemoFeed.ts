import { useLayoutEffect, useState } from 'react'
import type { FeedMessages } from '../../server/createFeed.js'
import type { UserId } from '../users.js'
import type { WireLog } from './createWireLog.js'
import { describeServer } from './describe.js'

/** The present state of the demo's server. */
export type Gauges = FeedMessages['gauge']

/** Adds the server's events for this user to the log, and returns the gauges. */
export function useDemoFeed(log: WireLog, user: UserId | null): Gauges | undefined {
  const [shown, setShown] = useState<{ readonly user: UserId; readonly gauges: Gauges }>()

  // In the commit, so that the page never shows an event of the previous user.
  useLayoutEffect(() => {
    log.clear()
    if (user === null) return undefined
    const source = new EventSource('/api/demo/events')
    const listen = <TName extends keyof FeedMessages>(
      name: TName,
      act: (message: FeedMessages[TName]) => void,
    ): void =>
      source.addEventListener(name, ({ data }: MessageEvent<string>) =>
        act(JSON.parse(data) as FeedMessages[TName]),
      )
    listen('bff', (event) => log.add(describeServer('bff', event)))
    listen('fault', (fault) => log.add(describeServer('fault', fault)))
    listen('gauge', (gauges) =>
      // Most messages repeat the one before.
      setShown((before) =>
        JSON.stringify(before) === JSON.stringify({ user, gauges }) ? before : { user, gauges },
      ),
    )
    return () => source.close()
  }, [log, user])

  return shown?.user === user ? shown?.gauges : undefined
}
