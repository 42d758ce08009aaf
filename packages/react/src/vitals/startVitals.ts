import { VITALS_LIMITS } from '@stagepass/contract'
import { isVoiceError } from '../errors/VoiceError.js'
import type { Platform, TimerHandle } from '../platform/platform.js'
import type { SendRequest } from '../request/SendRequest.js'
import { createReport } from './createReport.js'
import { type MeasuredClient, metersOf } from './metersOf.js'
import { pageFacts } from './pageFacts.js'

/*
 *            a value                        a minute later
 *   empty ─────────────▶ collecting ─────────────────────────▶ empty, and a report
 *                             │
 *                             └── the page goes or is hidden, or another user comes ──▶ empty, and a last report
 *
 * A report that fails is lost. If the BFF takes none (404), nothing is measured any longer.
 */

interface VitalsClient extends MeasuredClient {
  readonly platform: Platform
  /** The current user's requests. */
  readonly request: () => SendRequest
}

/** Measures the streams of a page, and reports the figures to the BFF. */
export function startVitals(client: VitalsClient): void {
  const { platform } = client
  const report = createReport(() => platform.random())
  let timer: TimerHandle | undefined
  /** Of the user to whom the collected values belong. */
  let request = client.request()

  const send = (keepalive: boolean): void => {
    platform.clearTimeout(timer)
    timer = undefined
    if (report.isEmpty()) return
    request({ route: '/vitals', json: report.take(pageFacts()), keepalive }).catch((error: unknown) => {
      if (isVoiceError(error, 'NOT_FOUND')) stop()
    })
  }

  /** Streams that lost their connection because the page went. It is a drop only for a user who comes back. */
  const left = new Set<string>()

  const stops = [
    metersOf(client).subscribe(({ figure, what, reason }, product, key) => {
      const stream = `${product} ${key}`
      if (figure) report.add(product, figure.name, figure.ms)
      else if (what === 'drop' && reason === 'away') left.add(stream)
      else if (what === 'drop' && reason) report.drop(product, reason)
      else if (what === 'open' && left.delete(stream)) report.drop(product, 'away')
      else return
      timer ??= platform.setTimeout(() => send(false), VITALS_LIMITS.everyMs)
    }),
    client.subscribe(({ type }) => {
      if (type !== 'client.reset') return
      send(true)
      left.clear()
      request = client.request()
    }),
    platform.onSuspend((reason) => {
      if (reason !== 'offline') send(true)
    }),
    // The system of a phone may end a hidden page without another event.
    platform.watchVisibility?.((isVisible) => {
      if (!isVisible) send(true)
    }),
  ]

  function stop(): void {
    platform.clearTimeout(timer)
    stops.forEach((each) => each?.())
  }
}
