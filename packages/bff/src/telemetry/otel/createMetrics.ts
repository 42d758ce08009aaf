import type { Attributes, BatchObservableCallback, Meter } from '@opentelemetry/api'
import { BFF_ERRORS, bffErrorRow, codesOf, PRODUCT_NAMES } from '@stagepass/contract'
import type { BffEvent } from '../events.js'
import type { TelemetrySource } from '../Telemetry.js'
import { createPageMetrics, type PageMetricsOptions } from './createPageMetrics.js'
import { createSessionMetrics } from './createSessionMetrics.js'
import {
  createAccountLabel,
  describeOperations,
  methodOf,
  type Operations,
  pathOf,
  viaLabel,
} from './labels.js'

/** Bucket bounds in seconds, as recommended by the semantic conventions for HTTP. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** Why a request got no slot. */
const NO_SLOT = {
  'user-queue-full': 0,
  'queue-full': 0,
  'too-late': 0,
  closing: 0,
} as const satisfies Record<Extract<BffEvent, { type: 'budget.refused' }>['reason'], 0>
/** How the BFF knows what a token has used. */
const KNOWN_BY = { report: 0, expiry: 0 } as const satisfies Record<
  Extract<BffEvent, { type: 'usage.settled' }>['by'],
  0
>

/** Secrets, with the error codes of their refusals. */
const REJECTIONS = codesOf(BFF_ERRORS).flatMap((code) => {
  const { refusedSecret } = bffErrorRow(code)
  return refusedSecret === undefined ? [] : [[refusedSecret, code] as const]
})

export type Metrics = ReturnType<typeof createMetrics>

/** Records metrics. Their labels have only few values: no user, no address, no text of the upstream. */
export function createMetrics(meter: Meter, ofPages: PageMetricsOptions) {
  const seconds = (name: string, description: string) =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: SECONDS } })
  const counter = (name: string, description: string) => meter.createCounter(name, { description })

  const answered = seconds('http.server.request.duration', 'Requests to the BFF.')
  const called = seconds('http.client.request.duration', 'Requests to the voice service.')
  const waited = seconds('stagepass.budget.wait.duration', 'Waits for a slot of the budget.')
  const tokens = counter('stagepass.tokens.minted', 'Session tokens that were issued.')
  const refused = counter('stagepass.budget.refused', 'Requests that could not get a slot in time.')
  const freezes = counter('stagepass.budget.freezes', 'Pauses of the budget after a 429.')
  const secrets = counter('stagepass.secrets.rejected', 'Secrets that the voice service refused.')
  const blocked = counter('stagepass.gate.blocked', 'Requests that the gate refused.')
  const handshakes = counter(
    'stagepass.handshakes.checked',
    'Handshake checks, by the result of the service.',
  )
  const usedTime = meter.createCounter('stagepass.usage.used', {
    description: 'Seconds that tokens used, of users whose minutes are counted.',
    unit: 's',
  })
  const exhausted = counter(
    'stagepass.usage.exhausted',
    'Tokens that were refused because the minutes were used up.',
  )
  const accountLabel = createAccountLabel(ofPages.accounts)
  const pages = createPageMetrics(meter, ofPages)
  const sessions = createSessionMetrics(meter)
  let operations: Operations | undefined
  const refusedNow = new Map<string, number>(REJECTIONS.map(([secret]) => [secret, 0]))
  let drainingSince: number | undefined
  let isDrained = false

  return {
    waited: (duration: number): void => waited.record(duration),

    count(event: BffEvent): void {
      switch (event.type) {
        case 'request.finished':
          answered.record(event.durationMs / 1_000, {
            ...labelsOf(event, event.status, event.errorCode),
            ...accountLabel(event),
          })
          break
        case 'token.minted':
          tokens.add(1, accountLabel(event))
          break
        case 'request.abandoned':
          answered.record(event.durationMs / 1_000, labelsOf(event, undefined, 'abandoned'))
          break
        case 'budget.refused':
          refused.add(1, { reason: event.reason })
          break
        case 'budget.limit':
          if (event.reason !== 'recovered') freezes.add(1)
          break
        case 'secret.rejected':
          // A customer whose key is refused is no alarm of the operator's.
          if (event.account === undefined) refusedNow.set(event.secret, 1)
          secrets.add(1, { secret: event.secret, 'error.type': event.errorCode })
          break
        case 'gate.blocked':
          blocked.add(1, { reason: event.reason })
          break
        case 'upstream.called':
          called.record(event.durationMs / 1_000, {
            ...operations?.[event.operation].attributes,
            ...resultOf(event.status, event.failure ?? event.errorCode ?? httpError(event.status)),
          })
          if (event.operation === 'handshake')
            handshakes.add(1, { result: event.errorCode ?? event.failure ?? 'ok' })
          else if (event.status !== undefined && event.status < 300 && event.account === undefined)
            refusedNow.set(event.operation === 'session-token' ? 'apiKey' : 'meetings.credential', 0)
          break
        case 'usage.settled':
          usedTime.add(event.usedMs / 1_000, {
            product: event.product,
            by: event.by,
            ...accountLabel(event),
          })
          break
        case 'usage.exhausted':
          exhausted.add(1, { product: event.product, ...accountLabel(event) })
          break
        case 'page.vitals':
          pages.record(event)
          break
        case 'session.leased':
          sessions.leased(event)
          break
        case 'session.ended':
          sessions.ended(event)
          break
        case 'drain.started':
          drainingSince = performance.now()
          break
        case 'drain.finished':
          drainingSince = undefined
          isDrained = true
          refusedNow.forEach((_, secret) => refusedNow.set(secret, 0))
          break
        // No metric of their own: the code of the request counts most of them, and the log has the rest.
        case 'authorize.failed':
        case 'budget.store':
        case 'grant.refused':
        case 'host.misconfigured':
        case 'limit.exceeded':
        case 'login.refused':
        case 'meeting.unreadable':
        case 'secret.failed':
        case 'secret.renewed':
        case 'session.queued':
        case 'session.released':
        case 'sessions.limit':
        case 'sessions.store':
        case 'upstream.rate-limited':
        case 'upstream.retried':
        case 'usage.threshold':
          break
        default:
          event satisfies never
      }
    },

    /** Reads the state of the BFF at each collection, until it has drained. */
    observe(bff: TelemetrySource): void {
      operations = describeOperations(bff)
      // A counter that begins at 1 shows no increase in a rate, so each counter begins at 0.
      for (const one of [tokens, freezes]) one.add(0)
      pages.start()
      for (const reason of codesOf(NO_SLOT)) refused.add(0, { reason })
      for (const product of PRODUCT_NAMES) {
        exhausted.add(0, { product })
        for (const by of codesOf(KNOWN_BY)) usedTime.add(0, { product, by })
      }
      for (const [secret, code] of REJECTIONS) secrets.add(0, { secret, 'error.type': code })
      const gauge = (name: string, description: string) => meter.createObservableGauge(name, { description })
      const limit = gauge(
        'stagepass.budget.limit',
        'Slots that may be used in a window, of all accounts together.',
      )
      const used = gauge('stagepass.budget.used', 'Slots in use, of all accounts together.')
      const waiting = gauge('stagepass.budget.waiting', 'Requests that wait for a slot in this instance.')
      const lost = gauge('stagepass.budget.store_lost', '1 while Redis does not answer.')
      const refusedSecret = gauge(
        'stagepass.secrets.refused',
        '1 if the voice service refused the secret of the common account at its last use.',
      )
      const inFlight = gauge('stagepass.requests.in_flight', 'Requests that are not answered yet.')
      const drain = gauge('stagepass.drain.seconds', 'Duration of the current drain; 0 if there is none.')
      const saved = meter.createObservableCounter('stagepass.meetings.saved', {
        description: 'Reads of meetings that needed no request to the service.',
      })
      const shared = sessions.observe()
      const instruments = [
        limit,
        used,
        waiting,
        lost,
        refusedSecret,
        inFlight,
        drain,
        saved,
        ...shared.instruments,
      ]
      const read: BatchObservableCallback = (result) => {
        // After the drain the callback runs once more, because an SDK keeps showing the last value of a
        // removed callback, and that must not be a value of the drain. In a microtask, because the SDK is
        // iterating over its callbacks now.
        if (isDrained) queueMicrotask(() => meter.removeBatchObservableCallback(read, instruments))
        const state = bff.gauge()
        result.observe(limit, state.limit)
        result.observe(used, state.used)
        result.observe(waiting, state.waiting)
        result.observe(lost, !isDrained && bff.isDegraded() ? 1 : 0)
        for (const [secret, value] of refusedNow) result.observe(refusedSecret, value, { secret })
        result.observe(inFlight, state.inFlight)
        result.observe(drain, drainingSince === undefined ? 0 : (performance.now() - drainingSince) / 1_000)
        shared.read(result, state.sessions)
        for (const [how, count] of Object.entries(state.saved)) result.observe(saved, count, { how })
      }
      meter.addBatchObservableCallback(read, instruments)
    },
  }
}

const httpError = (status = 0): string | undefined => (status >= 400 ? `${status}` : undefined)

const resultOf = (status: number | undefined, error: string | undefined): Attributes => ({
  ...(status !== undefined && { 'http.response.status_code': status }),
  ...(error !== undefined && { 'error.type': error }),
})

function labelsOf(
  event: Extract<BffEvent, { readonly route: unknown }>,
  status: number | undefined,
  error: string | undefined,
): Attributes {
  const path = pathOf(event.route)
  return {
    'http.request.method': methodOf(event.method),
    ...viaLabel(event),
    ...(path !== undefined && { 'http.route': path }),
    ...resultOf(status, error),
  }
}
