import { useEffect, useState } from 'react'
import type { WireLog } from './createWireLog.js'

/** A socket as the emulator sees it. */
export interface ServerSocket {
  readonly id: string
  readonly product: string
  readonly received: { readonly text: number; readonly binary: number; readonly bytes: number }
  readonly sent: { readonly text: number; readonly binary: number; readonly bytes: number }
}

/** How the budget of meetings requests stands; see `BffGauge` of @stagepass/bff. */
export interface Gauges {
  readonly sockets?: readonly ServerSocket[]
  readonly budget?: BudgetGauges
}

export interface BudgetGauges {
  readonly limit: number
  readonly used: number
  readonly waiting: number
  readonly frozenMs: number
  readonly savedBySharing: number
  readonly savedByCache: number
}

interface BffEvent {
  readonly type: string
  readonly route?: string
  readonly method?: string
  readonly status?: number
  readonly operation?: string
  readonly errorCode?: string
}

/** What the demo's server tells the page: events of the BFF go to the log, gauges are returned. */
export function useDemoFeed(log: WireLog): Gauges | undefined {
  const [gauges, setGauges] = useState<Gauges>()

  useEffect(() => {
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
      setGauges(JSON.parse(data) as Gauges)
    })
    return () => source.close()
  }, [log])

  return gauges
}

function titleOf({ type, route, method, status, operation, errorCode }: BffEvent): string {
  const words = [type.replaceAll(/[.-]/g, ' '), method, route ?? operation, status, errorCode]
  return words.filter((word) => word !== undefined).join(' ')
}
