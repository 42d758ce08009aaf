import type { Attributes, Meter, Observable } from '@opentelemetry/api'
import type { SessionsGauge } from '@stagepass/budget'
import type { BffEvent } from '../events.js'

/** Bucket bounds in seconds: a wait for a session may take many minutes. */
const SECONDS = [0.1, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800]

/** Records the simultaneous sessions, with the option `sessions`. Without it there are no series of them. */
export function createSessionMetrics(meter: Meter) {
  const waited = meter.createHistogram('stagepass.sessions.wait.duration', {
    description: 'Waits for a session of the account.',
    unit: 's',
    advice: { explicitBucketBoundaries: SECONDS },
  })
  const ended = meter.createCounter('stagepass.sessions.ended', {
    description: 'Ends by `bff.end`, and of sessions that took longer than the grant allows.',
  })
  return {
    leased: ({ waitedMs }: Extract<BffEvent, { type: 'session.leased' }>): void =>
      waited.record(waitedMs / 1_000),
    ended: ({ by }: Extract<BffEvent, { type: 'session.ended' }>): void => ended.add(1, { by }),

    /** Returns the gauges, and a function that reads them. */
    observe() {
      const gauge = (name: string, description: string): Observable =>
        meter.createObservableGauge(name, { description })
      const open = gauge('stagepass.sessions.open', 'Sessions that are open, or may be opened at any moment.')
      const waiting = gauge('stagepass.sessions.waiting', 'Requests that wait for a session.')
      const max = gauge('stagepass.sessions.max', 'Sessions that may be open at once, if it is known.')
      const read = (
        result: { observe(metric: Observable, value: number, attributes?: Attributes): void },
        sessions: SessionsGauge | undefined,
      ): void => {
        if (!sessions) return
        result.observe(open, sessions.open)
        result.observe(waiting, sessions.waiting)
        if (sessions.max !== undefined) result.observe(max, sessions.max)
      }
      return { instruments: [open, waiting, max], read }
    },
  }
}
