import { shown } from '../core/check.js'
import type { Clock } from '../core/Clock.js'
import type { SessionsEvent } from '../core/events.js'
import type { Store } from '../redis/createStore.js'
import { replyCode } from '../redis/redisClient.js'
import {
  type Action,
  type Call,
  LEASE_MS,
  LONGEST_WAIT_MS,
  RENEW_MS,
  type Reply,
  type Rules,
  SHORTEST_WAIT_MS,
} from './applySessionsCall.js'
import { type Leased, type Queued, type Session, type Sessions, SessionsRefusal } from './Sessions.js'

interface LeasesOptions {
  readonly store: Store<Call, Reply>
  /** Read at each call, because the number may change. */
  readonly rules: () => Rules
  readonly clock: Clock
  readonly emit: (event: SessionsEvent) => void
}

/** An instance while Redis does not respond. */
interface Alone {
  readonly sinceMs: number
  readonly reply: string | undefined
  /** Leases that it may still give, whether it has given one, and those that are not released. */
  left: number
  hasGiven: boolean
  readonly given: Set<string>
}

type Share = Pick<Alone, 'left' | 'hasGiven' | 'given'>

const HEARTBEAT_MS = 10_000
/** Time between two calls while Redis does not respond. */
const RETRY_MS = 1_000
/** After a shorter loss each lease is renewed before it runs out in Redis. */
const SHORT_MS = LEASE_MS - 2 * RENEW_MS
/** A number that has been lower for this time is lower because of another program. */
const FOREIGN_MS = 60_000
const FAILED = 'Failed to ask for a session'

/*
 *   shared --- a call fails ---> alone: renews every lease, and gives its share of what was free
 *     ^                            |
 *     '--------- a reply ----------'    a session that is open gets its lease by its next renewal. Until then no
 *                                       new lease, if one was given or has run out meanwhile
 */
export function createLeases({ store, rules, clock, emit }: LeasesOptions): Sessions {
  let seen: Reply | undefined
  let alone: Alone | undefined
  /** When the last call has failed. */
  let lostAt = 0
  let isForeign = false
  let closed = false
  let cancelBeat = (): void => {}
  const renewals = new Set<() => void>()

  async function call(action: Action, parts: Partial<Call> = {}): Promise<Reply> {
    const reply = await store.call({
      ...rules(),
      instance: store.instance,
      leaves: false,
      born: seen?.born ?? 0,
      returns: alone !== undefined && (alone.hasGiven || clock.now() - alone.sinceMs > SHORT_MS),
      action,
      id: '',
      user: '',
      weight: 1,
      holds: 'open',
      isHidden: false,
      note: '',
      forMs: 0,
      lists: false,
      ...parts,
    })
    see(reply)
    return reply
  }

  function see(reply: Reply): void {
    const before = seen
    seen = reply
    if (alone) emit({ type: 'sessions.store', reason: 'back' })
    alone = undefined
    if (before && before.born !== reply.born) emit({ type: 'sessions.store', reason: 'state-lost' })
    else if (before && before.number !== reply.number) {
      const isLowered = before.number < 0 || reply.number < before.number
      if (reply.number >= 0)
        emit({ type: 'sessions.limit', reason: isLowered ? 'lowered' : 'raised', max: reply.number })
    }
    const wasForeign = isForeign
    isForeign = reply.lowerMs >= FOREIGN_MS
    if (isForeign && !wasForeign) emit({ type: 'sessions.limit', reason: 'foreign-use', max: reply.number })
    beat(HEARTBEAT_MS)
  }

  function beat(delayMs: number): void {
    cancelBeat()
    if (closed || !store.isShared) return
    cancelBeat = clock.after(delayMs, () => void call('look').catch(lose), false)
  }

  function lose(cause: unknown): void {
    lostAt = clock.now()
    beat(RETRY_MS)
    if (alone || closed) return
    const { number = givenNow() ?? -1, leased = 0, instances = 1 } = seen ?? {}
    // Without a number the service itself refuses what is too much.
    const left = number < 0 ? Infinity : Math.floor(Math.max(0, number - leased) / Math.max(1, instances))
    const reply = replyCode(cause)
    alone = { sinceMs: clock.now(), reply, left, hasGiven: false, given: new Set() }
    const event = { type: 'sessions.store', reason: 'lost', limit: left, ...(reply && { reply }) } as const
    // Code can read the cause, but a logger does not print it, because it may contain anything.
    emit(Object.defineProperty(event, 'cause', { value: cause, enumerable: false }))
  }

  /**
   * True if the timer of the next look does not run. In a Cloudflare Worker timers end with the request that set
   * them, so a later request tries again.
   */
  const isLookDue = (): boolean => clock.now() - lostAt >= 2 * RETRY_MS

  /** Runs a call, or `otherwise` if Redis does not respond. */
  async function attempt<TResult>(
    work: () => Promise<TResult>,
    otherwise: (own: Share) => TResult,
  ): Promise<TResult> {
    // Throws if the number is not valid, which is no loss of the store.
    rules()
    if (!alone || isLookDue())
      try {
        return await work()
      } catch (error) {
        if (error instanceof SessionsRefusal) throw error
        lose(error)
      }
    return otherwise(alone ?? { left: 0, hasGiven: false, given: new Set() })
  }

  /** The number by the options. */
  function givenNow(): number | undefined {
    const { max, reserve } = rules()
    return max > 0 ? Math.max(1, max - reserve) : undefined
  }

  function readAnswer(id: string, { status, place, of, waitMs, forMs, note }: Reply): Leased | Queued {
    if (status === 'leased') return { status, id, retryMs: waitMs, waitedMs: forMs }
    if (status === 'queued') return { status, id, place, of, retryMs: waitMs }
    const isRefusal = status === 'user-full' || status === 'full' || status === 'ended'
    throw new SessionsRefusal(isRefusal ? status : 'foreign', isRefusal ? waitMs : LONGEST_WAIT_MS, note)
  }

  function queuedAlone(id: string): Queued {
    return { status: 'queued', id, place: null, of: null, retryMs: 2 * SHORTEST_WAIT_MS }
  }

  function giveAlone(id: string, own: Share): Leased | Queued {
    if (!own.given.has(id)) {
      if (own.left < 1) return queuedAlone(id)
      own.left -= 1
      own.hasGiven = true
      own.given.add(id)
    }
    return { status: 'leased', id, retryMs: RENEW_MS, waitedMs: 0 }
  }

  const sessions: Sessions = {
    async ask(request) {
      const { user, weight, note, id } = readRequest(request)
      if (closed) throw new SessionsRefusal('closing', SHORTEST_WAIT_MS)
      return attempt(
        async () => readAnswer(id, await call('ask', { id, user, weight, note })),
        (own) => giveAlone(id, own),
      )
    },

    async renew(id, { user, holds = 'open', isHidden = false, note: text = '' }) {
      return attempt(
        async () => {
          const { status, waitMs, forMs, note } = await call('renew', {
            id,
            user,
            holds,
            isHidden,
            note: text,
          })
          const isKnown = status === 'leased' || status === 'asleep' || status === 'ended'
          return { status: isKnown ? status : 'unknown', retryMs: waitMs, forMs, note }
        },
        () => ({ status: 'leased', retryMs: RENEW_MS, forMs: 0, note: '' }),
      )
    },

    async release(id, user) {
      return attempt(
        async () => {
          const { status, forMs } = await call('release', { id, user })
          return status === 'done' ? forMs : undefined
        },
        (own) => {
          // A place in the queue is no lease, and Redis still counts a lease from before the loss.
          if (own.given.delete(id)) own.left += 1
          return undefined
        },
      )
    },

    async check(user) {
      await attempt(
        async () => {
          const { status, waitMs, note } = await call('look', { user })
          if (status === 'ended') throw new SessionsRefusal('ended', waitMs, note)
        },
        () => undefined,
      )
    },

    async refused(id, user) {
      return attempt(
        // It gets no lease at once.
        async () => readAnswer(id, await call('refused', { id, user })) as Queued,
        (own) => {
          own.left = 0
          own.given.delete(id)
          return queuedAlone(id)
        },
      )
    },

    async end({ user = '', id = '' }, forMs = 60_000, note = '') {
      await call('end', { user, id, forMs, note })
    },

    list: async () => (await call('look', { lists: true })).list,

    async acquire({ signal, ...request }) {
      const id = crypto.randomUUID()
      const { user } = readRequest(request)
      for (;;) {
        signal?.throwIfAborted()
        const place = await sessions.ask({ ...request, id })
        if (place.status === 'leased') return keep(id, user, place.retryMs)
        try {
          await sleep(place.retryMs, signal)
        } catch (reason) {
          await sessions.release(id, user)
          throw reason
        }
      }
    },

    gauge() {
      const given = givenNow()
      const { leased = 0, waiting = 0, number = -1 } = seen ?? {}
      return {
        open: leased,
        waiting,
        max: number >= 0 ? number : given,
        learned: number >= 0 && number !== given,
      }
    },
    degraded() {
      if (!alone) return undefined
      if (!closed && isLookDue()) void call('look').catch(lose)
      return alone.reply ? `Redis answers ${alone.reply}` : 'Redis does not respond'
    },
    async close() {
      if (closed) return
      closed = true
      cancelBeat()
      for (const stop of renewals) stop()
      if (store.isShared && seen && !alone) await call('look', { leaves: true }).catch(() => undefined)
    },
  }

  /** Waits for a part of the queue. */
  function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        cancel()
        reject(signal?.reason)
      }
      const cancel = clock.after(ms, () => {
        signal?.removeEventListener('abort', end)
        resolve()
      })
      signal?.addEventListener('abort', end, { once: true })
    })
  }

  function keep(id: string, user: string, retryMs: number): Session {
    const ended = new AbortController()
    let cancel = (): void => {}
    const stop = (): void => {
      cancel()
      renewals.delete(stop)
    }
    const renewAfter = (ms: number): void => {
      cancel = clock.after(ms, () => void renew(), false)
    }
    const renew = async (): Promise<void> => {
      const { status } = await sessions.renew(id, { user })
      if (!renewals.has(stop)) return
      if (status !== 'ended') return renewAfter(RENEW_MS)
      stop()
      ended.abort(new SessionsRefusal('ended', LEASE_MS))
    }
    const release = async (): Promise<void> => {
      if (!renewals.has(stop) && !ended.signal.aborted) return
      stop()
      await sessions.release(id, user)
    }
    renewals.add(stop)
    renewAfter(retryMs)
    return { id, signal: ended.signal, release, [Symbol.asyncDispose]: release }
  }

  return sessions
}

function readRequest(request: Parameters<Sessions['ask']>[0]) {
  const { user, weight = 1, note = '', id = crypto.randomUUID() } = request
  if (typeof user !== 'string' || user === '')
    throw new TypeError(`${FAILED}: user is ${shown(user)}. Give a name that is not empty.`)
  if (!(weight >= 0.01 && weight <= 100))
    throw new RangeError(`${FAILED}: weight is ${shown(weight)}. Give a number from 0.01 to 100.`)
  if (typeof note !== 'string') throw new TypeError(`${FAILED}: note is ${shown(note)}. Give a text.`)
  if (typeof id !== 'string' || id === '')
    throw new TypeError(`${FAILED}: id is ${shown(id)}. Give the id of an earlier answer, or leave it out.`)
  return { user, weight, note, id }
}
