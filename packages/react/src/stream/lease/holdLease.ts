import { encodeText } from '@stagepass/contract'
import { onAbort } from '../../events/onAbort.js'
import { asVoiceError, VoiceError } from '../../errors/VoiceError.js'
import { backoffMs } from '../../platform/backoff.js'
import type { Socket } from '../../platform/socket.js'
import type { TimerHandle } from '../../platform/platform.js'
import type { RequestOptions, SendRequest } from '../../request/SendRequest.js'
import type { LiveToken } from '../../token/TokenSource.js'
import { IDLE } from '../../token/state.js'
import { hold, type Transition } from '../../token/transitions.js'
import { usageOf } from '../../usage/usageOf.js'
import { attemptOf, connectionOf, isActive, type QueuePlace, socketsOf } from '../machine/state.js'
import { createHandshakeCheck } from '../wire/createHandshakeCheck.js'
import { isQueued, leasedTransition } from './leasedTransition.js'
import { parkedStreams } from './parkedStreams.js'
import { storedTicket } from './storedTicket.js'
import { type HeldLease, ROOM_KNOWN_MS, type StreamParts, type TokenRequest } from './StreamParts.js'

/** Without an answer a stream opens after this time, unless it has a place in the queue. */
const SILENT_MS = 1_000
const RENEW_MS = 10_000
/** A failed renewal is repeated after this time, so that one of three arrives in the 25 s of a lease. */
const REPEAT_MS = 5_000
/** Renewals come each 10 s. So after this time without a login the 25 s of the lease are over. */
const REFUSED_MS = 15_000
const POLL_MS = 1_000
const LONGEST_POLL_MS = 10_000
/** How often a stream that is closing looks for the close event. */
const CHECK_MS = 50

type Answer = Readonly<Record<string, unknown>>

/*
 * The session that the BFF gives to a stream.
 *
 *              asked, and there is room                   not needed, and its socket is closed
 *     none ────────────────────────────────▶ leased ──────────────────────────────────────────▶ none
 *      │ asked, and there is none            ▲ │ │ 410, or 401 for 15 s: the stream has failed
 *      ▼                          its turn   │ │ └ 404: none; an open socket stays open, and asks again
 *   waiting ─────────────────────────────────┘ │
 *      │  ▲                                    │ the service had no room
 *      │  └────────────────────────────────────┘
 *      └── not needed ──▶ none
 *
 * A lease is renewed every 10 s, by a timer, or by a message if the timer is late. Reconnects, further tokens
 * and rollovers keep it. In silence it is parked: kept until others wait. A page that is left gives it back, and
 * keeps its place in the queue for the next load.
 */
export function holdLease(stream: StreamParts): HeldLease {
  return (stream.held ??= createHeldLease(stream))
}

function createHeldLease(stream: StreamParts): HeldLease {
  const { client, key, tokens, state, step } = stream
  const { platform } = client
  const { product } = tokens
  const usage = usageOf(client)
  const parked = parkedStreams(client)
  const name = `${product} ${key}`
  const stored = storedTicket(`${client.url} ${client.user ?? ''} ${name}`)
  /** Sockets of the stream whose close event has not come yet. */
  const sockets = new Set<Socket>()
  let lease: string | undefined
  let ticket = stored.take()
  /** A lease that was taken back in silence. Its place in the queue is the first. */
  let asleep: string | undefined
  let queue: QueuePlace | null = null
  let isFull = false
  /** The last handshake check has given the stream another place. */
  let isPlaced = false
  let heardAt = -Infinity
  let isHidden = false
  /** Ends a wait in the queue. */
  let askNow = (): void => {}
  let isParked = false
  let renewAt = Infinity
  /** Since when renewals are refused because the user is no longer signed in. */
  let refusedAt = Infinity
  let pollAt = -Infinity
  let renewTimer: TimerHandle | undefined
  let closeTimer: TimerHandle | undefined
  let asking: { readonly lease: Promise<void>; readonly abort: AbortController } | undefined
  let stopListening: (() => void) | undefined

  /** What the stream needs the session for; `undefined`: it needs none. */
  function holds(): 'opening' | 'open' | 'parked' | undefined {
    const now = state()
    if (connectionOf(now)) return 'open'
    if (isActive(now)) return 'opening'
    return now.status === 'closed' && parked.has(name) ? 'parked' : undefined
  }

  function hear({ sessions }: Answer): void {
    isFull = sessions === 'full'
    heardAt = platform.now()
  }

  /** Reads an answer with a lease, with a place in the queue, or without both. True if there is a lease. */
  function take(answer: Answer): boolean {
    hear(answer)
    if (typeof answer.lease === 'string') {
      // A place from before a reload.
      if (ticket !== undefined && !asking) giveBack(ticket)
      ticket = asleep = undefined
      lease = answer.lease
      renewIn(msOf(answer.renew_in_ms, RENEW_MS))
    } else if (typeof answer.ticket === 'string') {
      forget()
      pollAt = platform.now() + msOf(answer.retry_in_ms, POLL_MS)
      if (ticket === undefined || asking) ticket = answer.ticket
      else {
        // The place from before a reload is a better one.
        giveBack(answer.ticket)
        pollAt = -Infinity
      }
      const { place, of } = answer
      queue = typeof place === 'number' && typeof of === 'number' ? { place, of } : null
      showPlace()
    }
    listen()
    return lease !== undefined
  }

  /** A stream that waits has no token. */
  function showPlace(): void {
    const attempt = attemptOf(state())
    if (ticket === undefined || attempt?.step !== 'minting') return
    if (!isQueued(state())) {
      const at = platform.wallNow()
      client.emit({ type: 'stream.queued', place: queue?.place, of: queue?.of, product, key, at })
    }
    step({ type: 'queued', generation: attempt.generation, queue })
    letTokens()
  }

  function letTokens(): void {
    // Unless another stream needs it.
    if (usage.used(product).needed === 0) tokens.run(hold)
  }

  /** Waits for `ms`, or until the page comes to the front. Rejects when the signal aborts. */
  async function pause(ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0 && !signal.aborted) return
    return new Promise((resolve, reject) => {
      const end = (): void => {
        platform.clearTimeout(timer)
        stopWake()
        stopAbort()
        if (signal.aborted) reject(new VoiceError('ABORTED'))
        else resolve()
      }
      const timer = platform.setTimeout(end, ms)
      askNow = end
      const stopWake = platform.onWake((reason) => reason !== 'focus' && end())
      const stopAbort = onAbort(signal, end)
      if (signal.aborted) end()
    })
  }

  async function poll(signal: AbortSignal): Promise<void> {
    for (let failures = 0; ;) {
      const waitMs = Math.ceil(Math.min(pollAt - platform.now(), LONGEST_POLL_MS))
      // Timers of a hidden page run once a minute, so it asks at once, and the BFF waits.
      const isHeld = isHidden && failures === 0 && waitMs > 0
      await pause(isHeld ? 0 : waitMs, signal)
      try {
        // Not aborted by a stream that leaves: the answer says what to give back.
        const json = { usage_type: product, ticket: ticket ?? asleep, ...(isHeld && { after_ms: waitMs }) }
        if (take(await client.request({ route: '/sessions', json }))) return
        failures = 0
      } catch (thrown) {
        const error = asVoiceError(thrown)
        // The BFF no longer shares sessions.
        if (error.status === 404) return
        if (!error.retryable) throw error
        pollAt = platform.now() + Math.max(backoffMs(failures, platform.random()), error.retryAfterMs ?? 0)
        failures += 1
      }
    }
  }

  /** Asks until there is a lease. */
  function ask(): Promise<void> {
    if (asking) return asking.lease
    const abort = new AbortController()
    const mine = (asking = { abort, lease: poll(abort.signal) })
    const end = (error?: unknown): void => {
      if (asking === mine) asking = undefined
      if (error !== undefined) endSession(asVoiceError(error))
      follow()
    }
    mine.lease.then(() => end(), end)
    return mine.lease
  }

  /** Of all answers only these two end an open stream. */
  function endSession(error: VoiceError): void {
    if (error.code === 'ENDED_BY_SERVER' || error.code === 'UNAUTHENTICATED')
      step({ type: 'session ended', error })
  }

  /** Resolves when the stream may open. */
  function admit(signal: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const timer = platform.setTimeout(() => ticket === undefined && resolve(), SILENT_MS)
      const stop = onAbort(signal, () => reject(new VoiceError('ABORTED')))
      const end = (): void => {
        platform.clearTimeout(timer)
        stop()
      }
      ask().then(resolve, reject).finally(end)
    })
  }

  function renewIn(waitMs: number): void {
    renewAt = platform.now() + waitMs
    platform.clearTimeout(renewTimer)
    renewTimer = platform.setTimeout(tick, waitMs)
  }

  function tick(): void {
    if (lease !== undefined && platform.now() >= renewAt) void renew(lease)
  }

  /** The BFF should know this now, and not only at the next renewal. */
  function tell(): void {
    renewAt = -Infinity
    tick()
  }

  async function renew(mine: string): Promise<void> {
    const held = holds()
    if (held === undefined) return
    // No second request beside it. What changes meanwhile sets an earlier time.
    renewAt = Infinity
    let waitMs = REPEAT_MS
    try {
      const json = { holds: held, ...(isHidden && { hidden: true }) }
      const answer = await client.request({ route: '/sessions/:lease', path: pathOf(mine), json })
      hear(answer)
      refusedAt = Infinity
      waitMs = msOf(answer.renew_in_ms, RENEW_MS)
    } catch (thrown) {
      const error = asVoiceError(thrown)
      if (mine !== lease) return
      // One such answer may be a short failure of the login.
      refusedAt = error.code === 'UNAUTHENTICATED' ? Math.min(refusedAt, platform.now()) : Infinity
      const isOver = platform.now() - refusedAt >= REFUSED_MS
      if (isOver || error.status === 410 || error.status === 404) {
        forget()
        endSession(error)
        if (held === 'parked' || holds() === 'parked') asleep = mine
        else if (error.status === 404) ask().catch(() => {})
      }
    }
    if (mine !== lease) return
    if (renewAt === Infinity) renewIn(waitMs)
    else tick()
  }

  function forget(): void {
    lease = undefined
    refusedAt = Infinity
    platform.clearTimeout(renewTimer)
  }

  /** Gives a lease or a place in the queue back. */
  function giveBack(id: string): void {
    client
      .request({ route: '/sessions/:lease', path: pathOf(id), method: 'DELETE', keepalive: true })
      .catch(() => {})
  }

  /** Gives back what the stream no longer needs: the lease after the close event of its socket. */
  function leave(): void {
    asking?.abort.abort()
    asking = undefined
    if (ticket !== undefined) {
      giveBack(ticket)
      tokens.run(release)
    }
    ticket = undefined
    platform.clearTimeout(closeTimer)
    for (const socket of sockets) if (socket.isClosed?.() ?? true) sockets.delete(socket)
    if (lease !== undefined && sockets.size > 0) {
      closeTimer = platform.setTimeout(follow, CHECK_MS)
      return
    }
    if (lease !== undefined) giveBack(lease)
    forget()
    stopListening?.()
    stopListening = undefined
  }

  function listen(): void {
    if (stopListening) return
    const stops = [
      platform.watchVisibility?.((isVisible) => {
        if (isHidden !== isVisible) return
        isHidden = !isVisible
        tell()
        askNow()
      }),
      platform.onWake(() => {
        stored.take()
        tick()
      }),
      platform.onSuspend((reason) => {
        if (reason !== 'pagehide') return
        if (ticket !== undefined) stored.keep(ticket)
        if (lease === undefined) return
        giveBack(lease)
        forget()
      }),
      // Another component may have asked for a token.
      tokens.subscribe(() => {
        if (isQueued(state()) && ticket !== undefined && tokens.current()) letTokens()
      }),
      parked.subscribe(follow),
    ]
    stopListening = () => stops.forEach((stop) => stop?.())
  }

  /** Its sockets are still known before each step. */
  function collect(): void {
    for (const generation of socketsOf(state())) {
      const socket = stream.socket(generation)
      if (socket) sockets.add(socket)
    }
  }

  function follow(): void {
    const held = holds()
    if (held === undefined) return leave()
    platform.clearTimeout(closeTimer)
    if ((held === 'parked') === isParked) return tick()
    isParked = !isParked
    tell()
  }

  async function getToken(request: TokenRequest): Promise<LiveToken> {
    // A lease may have been taken back in silence, because others wait.
    if (lease !== undefined && isParked && isFull) {
      isParked = false
      await renew(lease)
    }
    // After a refusal the place is known.
    showPlace()
    if (lease === undefined) await admit(request.signal)
    // Until the token is there, the stream still counts as one that waits.
    usage.need(product, 1)
    return tokens.get(request).finally(() => usage.need(product, -1))
  }

  const transition = leasedTransition({
    isLeased: () => lease !== undefined,
    isPlaced: () => isPlaced,
    hasRoom: () => !isFull || platform.now() - heardAt >= ROOM_KNOWN_MS,
  })

  Object.assign(stream, {
    transition(before, input, context) {
      collect()
      queueMicrotask(follow)
      return transition(before, input, context)
    },
    snapshotOf: snapshotWith(stream.snapshotOf),
    tick,
    // The response may have another place in the queue for the lease.
    checkHandshake: createHandshakeCheck(checkWithLease as SendRequest),
  } satisfies Partial<StreamParts>)

  async function checkWithLease({ json, ...asked }: RequestOptions<Answer>): Promise<Answer> {
    isPlaced = false
    const answer = await client.request({ ...asked, json: { ...Object(json), lease } })
    isPlaced = answer.ticket !== undefined
    if (isPlaced) take(answer)
    return answer
  }

  return {
    isAsking: () => (lease ?? ticket ?? asking) !== undefined,
    getToken,
    async enter(request, answer) {
      take(answer)
      follow()
      if (holds() === undefined) throw new VoiceError('ABORTED')
      return getToken(request)
    },
  }
}

/** Shows the place of a stream that waits. */
function snapshotWith(snapshotOf: StreamParts['snapshotOf']): typeof snapshotOf {
  return (state, retryAt) => {
    const snapshot = snapshotOf(state, retryAt)
    if (!isQueued(state) || snapshot.status !== 'connecting') return snapshot
    return { ...snapshot, status: 'queued', queue: state.queue ?? null }
  }
}

/** No stream waits any longer. Another one may have a request under way. */
const release: Transition = (state) => {
  const isHeld = state.request.status === 'failed' && !state.failure
  return { state: isHeld ? { ...state, request: IDLE } : state }
}

const pathOf = (id: string): string => `/sessions/${encodeText(id)}`

const msOf = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && value > 0 ? value : otherwise
