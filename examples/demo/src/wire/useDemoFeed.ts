import { useLayoutEffect, useState } from 'react'
import type { DemoUser } from '../users/users.js'
import type { WireLog } from './createWireLog.js'

/** A socket as the emulator sees it. */
export interface ServerSocket {
  readonly id: string
  readonly product: string
  readonly received: { readonly text: number; readonly binary: number; readonly bytes: number }
  readonly sent: { readonly text: number; readonly binary: number; readonly bytes: number }
}

/** How things stand in the demo's server. */
export interface Gauges {
  readonly budget: BudgetGauges
  /** There unless the upstream is the real service. */
  readonly sockets?: readonly ServerSocket[]
}

/** The part of `bff.gauge()` that is shown. */
export interface BudgetGauges {
  readonly limit: number
  readonly used: number
  readonly waiting: number
  readonly frozenMs: number
  /** Reads that cost no call of their own, by what spared it. */
  readonly saved: Readonly<Record<string, number>>
}

interface BffEvent {
  readonly type: string
  readonly route?: string
  readonly method?: string
  readonly status?: number
  readonly operation?: string
  readonly errorCode?: string
}

/**
 * What the demo's server tells the page of this user: events of the BFF go to the log, gauges are returned.
 */
export function useDemoFeed(log: WireLog, user: DemoUser | null): Gauges | undefined {
  const [shown, setShown] = useState<{ readonly user: DemoUser; readonly gauges: Gauges }>()

  // With the commit: nothing of the former user is in the log when the page is shown, and nothing more comes
  // into it.
  useLayoutEffect(() => {
    log.clear()
    if (user === null) return undefined
    const source = new EventSource('/api/demo/events')
    let lastGauge = ''
    source.addEventListener('bff', ({ data }: MessageEvent<string>) => {
      const event = JSON.parse(data) as BffEvent
      log.add({ lane: 'bff', title: titleOf(event), tone: event.errorCode ? 'bad' : 'plain', detail: event })
    })
    source.addEventListener('fault', ({ data }: MessageEvent<string>) => {
      const { type, ...detail } = JSON.parse(data) as {
        readonly type: string
        readonly code?: string
        readonly kind?: string
      }
      log.add({
        lane: 'fault',
        title: [type, detail.code ?? detail.kind].filter(Boolean).join(' '),
        tone: 'plain',
        detail,
      })
    })
    source.addEventListener('gauge', ({ data }: MessageEvent<string>) => {
      if (data === lastGauge) return
      lastGauge = data
      setShown({ user, gauges: JSON.parse(data) as Gauges })
    })
    return () => source.close()
  }, [log, user])

  return shown?.user === user ? shown?.gauges : undefined
}

function titleOf({ type, route, method, status, operation, errorCode }: BffEvent): string {
  const words = [type.replaceAll(/[.-]/g, ' '), method, route ?? operation, status, errorCode]
  return words.filter((word) => word !== undefined).join(' ')
}
