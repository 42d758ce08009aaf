import { type Bff, createBff } from '../hosts/fetch/index.js'
import { WITH_LEASE } from '@stagepass/contract'
import { createBrowserEmulator } from '@stagepass/emulator/browser'
import { virtualClock } from '@stagepass/testing/virtualClock'
import type { RedisClient } from '@stagepass/budget'
import { redisOn } from '../../../budget/src/redis/redisOn.test.kit.js'
import { seededRandom } from '../../../budget/src/seededRandom.test.kit.js'

/*
 * Random minutes of pages that share the sessions of an account, through instances of the real BFF. All from one
 * seed, on a clock of its own. After each answer a simple ledger says whether it was right.
 */

const LEASE_MS = 25_000
const HIDDEN_LEASE_MS = 75_000
const PARKED_MS = 10_000
/** An instance that knew the data notices within this time that it was lost. Then no session begins for 12 s. */
const NOTICED_MS = 10_000
/** An instance that has lost Redis tries again after this time. */
const RETRY_MS = 1_100
const SETTLED_MS = NOTICED_MS + 12_000
const OVERDUE_MS = 1_500
/** The service notices that a page sleeps. */
const PING_MS = 20_000

interface Answer {
  readonly status: number
  readonly lease?: string
  readonly ticket?: string
  readonly place?: number | null
  readonly retry_in_ms?: number
  readonly session_key?: string
}

interface Page {
  readonly user: string
  readonly isHidden: boolean
  /** It runs no timers now. */
  isAsleep: boolean
  isGone: boolean
}

/** A lease, as a page knows it. */
interface Held {
  readonly page: Page
  until: number
  parkedAt: number
  /** Since when it is parked for the store: while it is lost, the end of a silence does not reach it. */
  readonly storedParkedAt: number
  /** The store may have forgotten it. */
  isUnsure: boolean
}

interface Waiting {
  readonly place: number
  /** It has promised to ask before this time. */
  readonly askBy: number
  /** Time and number of the call that it is from. */
  readonly at: number
  readonly call: number
}

export const noCounts = () => ({
  leases: 0,
  waits: 0,
  crashes: 0,
  sleeps: 0,
  reloads: 0,
  drops: 0,
  silences: 0,
  refused: 0,
  killed: 0,
  flushed: 0,
  lost: 0,
})

/** Runs one seed. Throws an error that describes the problem. */
export async function runSessions(seed: number, client: RedisClient & { flushAll(): Promise<unknown> }) {
  const random = seededRandom(seed)
  const upTo = (max: number): number => Math.floor(random() * (max + 1))
  const clock = virtualClock()
  const counts = noCounts()
  const max = 1 + upTo(3)
  const isShared = random() < 0.7
  const hasDrops = random() < 0.3
  const hasSilences = random() < 0.3
  const emulator = createBrowserEmulator({ maxSessions: 0 })
  await client.flushAll()
  const network = redisOn(client, clock)

  function startInstance() {
    /** `knows`: it has called before data was lost. */
    const life = { isOver: false, hasCalled: false, knows: false }
    const bff = createBff({
      ...emulator.bffOptions,
      authorize: (request) => ({ user: request.headers.get('x-user') ?? '' }),
      sessions: { max },
      limits: { tokensPerMinute: Infinity, sessionsPerMinute: Infinity },
      logger: false,
      // Clocks that differ by minutes.
      platform: {
        clock,
        random,
        wallNow: (
          (skewMs) => () =>
            clock.now() + skewMs
        )(upTo(600_000)),
      },
      ...(isShared && {
        userSecret: 'a secret that all of the instances have',
        redis: (...call: Parameters<typeof network.evaluate>) =>
          life.isOver ? Promise.reject(new Error('killed')) : network.evaluate(...call),
      }),
    })
    return { bff, life, kill: () => ((life.isOver = true), bff.close()) }
  }
  const instances = Array.from({ length: isShared ? 3 : 1 }, startInstance)

  const held = new Map<string, Held>()
  const queue = new Map<string, Waiting>()
  /** No session begins before this time, and what follows from the order is not known. */
  let settledAt = 0
  /** Until this time an instance may still give its share alone. */
  let aloneUntil = 0
  /** Until this time an instance that has not called before cannot know that data was lost. */
  let noticedAt = 0
  let open = 0
  let calls = 0

  const isKept = ({ page, until, parkedAt, isUnsure }: Held): boolean =>
    until > clock.now() &&
    clock.now() - parkedAt <= PARKED_MS &&
    !(isUnsure && (page.isAsleep || page.isGone || page.isHidden))
  const fail = (problem: string): never => {
    throw new Error(`seed ${seed}, at ${clock.now() - 1_000_000} ms: ${problem}`)
  }

  async function send(
    page: Page,
    path: string,
    { json, method = 'POST', accept = '' }: { json?: object; method?: string; accept?: string } = {},
  ): Promise<Answer> {
    const { bff, life } = instances[upTo(instances.length - 1)] as ReturnType<typeof startInstance>
    const headers = { 'x-stagepass': '1', 'x-user': page.user, 'content-type': 'application/json', accept }
    const init = { method, body: json ? JSON.stringify(json) : null, headers }
    const request = new Request(`https://app.test${emulator.bffOptions.basePath}${path}`, init)
    const work = async (): Promise<Answer> => {
      const response = await bff.fetch(request)
      const text = await response.text()
      return { ...(text === '' ? {} : JSON.parse(text)), status: response.status }
    }
    const answer = await clock.track(work())
    if (answer.status >= 500) fail(`${path} has the status ${answer.status}`)
    calls += 1
    if (life.knows) noticedAt = 0
    life.hasCalled = true
    return see(page, answer, bff, path === '/handshake-check')
  }

  /** `isRefused`: it gets a place also if a session is free. */
  function see(page: Page, answer: Answer, bff: Bff, isRefused: boolean): Answer {
    const { lease, ticket, place = null, retry_in_ms = 0 } = answer
    const now = clock.now()
    if (lease !== undefined) {
      const others = [...held].filter(([id, one]) => id !== lease && isKept(one))
      if (now > aloneUntil && now >= noticedAt && others.length >= max)
        fail(`lease ${others.length + 1} of ${max} was given`)
      counts.leases += 1
      queue.delete(lease)
      held.set(lease, {
        page,
        until: now + LEASE_MS,
        parkedAt: Infinity,
        storedParkedAt: Infinity,
        isUnsure: now <= aloneUntil,
      })
    } else if (ticket !== undefined && place !== null) {
      const onTime = [...queue].filter(([id, { askBy }]) => id !== ticket && now <= askBy)
      const sessions = bff.gauge().sessions ?? { open: 0, max: 0 }
      const room = (sessions.max ?? 0) - sessions.open - onTime.length
      if (!hasDrops && !isRefused && now > settledAt && room > 0)
        fail(`place ${place}, and ${room} sessions are free`)
      queue.set(ticket, { place, askBy: now + retry_in_ms + OVERDUE_MS, at: now, call: calls })
    }
    return answer
  }

  /** Asks again, also after a reload. */
  async function ask(page: Page, ticket: string): Promise<Answer> {
    const before = queue.get(ticket)
    const answer = await send(page, '/sessions', { json: { usage_type: 'stt', ticket } })
    if ((answer.lease ?? answer.ticket) !== ticket) fail(`the place ${ticket} was lost: ${answer.status}`)
    // Later the end of a user's other session may have changed the order.
    const isNext = before?.call === calls - 1 && before.at === clock.now()
    if (isNext && clock.now() > settledAt && (answer.place ?? 0) > before.place)
      fail(`place ${before.place} has become ${answer.place}`)
    return answer
  }

  const pause = (ms: number): Promise<void> => new Promise((resolve) => void clock.after(ms, () => resolve()))

  async function sleep(page: Page, ms: number): Promise<void> {
    counts.sleeps += 1
    page.isAsleep = true
    await pause(ms)
    page.isAsleep = false
  }

  /** Waits until there is a lease. Undefined: the page has crashed, or has left. */
  async function waitFor(page: Page, first: Answer): Promise<string | undefined> {
    for (let answer = first; ;) {
      if (answer.lease !== undefined) return answer.lease
      const { ticket = '', retry_in_ms = 0 } = answer
      counts.waits += 1
      const luck = random()
      if (luck < 0.01) {
        counts.crashes += 1
        return undefined
      }
      if (luck < 0.02) {
        queue.delete(ticket)
        await send(page, `/sessions/${ticket}`, { method: 'DELETE' })
        return undefined
      }
      if (luck < 0.05) await sleep(page, upTo(90_000))
      else if (luck < 0.1) {
        counts.reloads += 1
        if (random() < 0.5) await pause(upTo(300))
      } else await pause(retry_in_ms * (0.9 + random() * 0.2))
      answer = await ask(page, ticket)
    }
  }

  const renew = async (page: Page, lease: string, holds: 'opening' | 'open' | 'parked'): Promise<boolean> => {
    const json = { holds, hidden: page.isHidden }
    const { status } = await send(page, `/sessions/${lease}`, { json })
    if (status !== 200) {
      if (status !== 404) fail(`a renewal has the status ${status}`)
      held.delete(lease)
      return false
    }
    const until = clock.now() + (page.isHidden ? HIDDEN_LEASE_MS : LEASE_MS)
    const isUnsure = clock.now() <= aloneUntil
    const { parkedAt = Infinity, storedParkedAt = Infinity } = held.get(lease) ?? {}
    const isOpen = holds !== 'parked'
    held.set(lease, {
      page,
      until,
      parkedAt: isOpen ? Infinity : parkedAt,
      storedParkedAt: isOpen && !isUnsure ? Infinity : Math.min(parkedAt, storedParkedAt),
      isUnsure,
    })
    return true
  }

  /** From one press to the end of the session. */
  async function visit(page: Page): Promise<void> {
    const usage_type = 'stt'
    const press = await send(page, '/session-token', { json: { usage_type }, accept: WITH_LEASE })
    let key = press.session_key
    let lease = await waitFor(page, press)
    while (lease !== undefined) {
      key ??= (await send(page, '/session-token', { json: { usage_type } })).session_key
      await pause(50)
      if (open >= max) {
        counts.refused += 1
        const json = { usage_type, session_key: key, lease }
        held.delete(lease)
        key = undefined
        lease = await waitFor(page, await send(page, '/handshake-check', { json }))
        continue
      }
      open += 1
      const end = await hold(page, lease)
      if (end === 'closed' || end === 'crashed') return
      key = undefined
      if (await renew(page, lease, 'opening')) continue
      lease = await waitFor(page, await send(page, '/sessions', { json: { usage_type, ticket: lease } }))
    }
  }

  /** Holds an open session, for some seconds, or until something happens. */
  async function hold(page: Page, lease: string): Promise<'closed' | 'crashed' | 'again'> {
    const endAt = clock.now() + 3_000 + upTo(25_000)
    const close = (): void => void (open -= 1)
    await renew(page, lease, 'open')
    for (;;) {
      await pause(Math.max(0, Math.min(page.isHidden ? 60_000 : 10_000, endAt - clock.now())))
      const luck = random()
      if (luck < 0.05) {
        counts.crashes += 1
        page.isGone = true
        close()
        return 'crashed'
      }
      if (luck < 0.1) {
        const ms = upTo(60_000)
        clock.after(Math.min(ms, PING_MS), close)
        await sleep(page, ms)
        return 'again'
      }
      if (hasDrops && luck < 0.25) {
        counts.drops += 1
        clock.after(10_000, close)
        await pause(500)
        return 'again'
      }
      if (hasSilences && luck < 0.4) {
        counts.silences += 1
        close()
        const one = held.get(lease)
        if (one) one.parkedAt = Math.min(clock.now(), one.storedParkedAt)
        const speaksAt = clock.now() + upTo(30_000)
        while (clock.now() < speaksAt && (await renew(page, lease, 'parked')))
          await pause(Math.min(5_000, speaksAt - clock.now()))
        return 'again'
      }
      if (clock.now() >= endAt) break
      await renew(page, lease, 'open')
    }
    close()
    await pause(30)
    held.delete(lease)
    await send(page, `/sessions/${lease}`, { method: 'DELETE' })
    return 'closed'
  }

  async function live(number: number): Promise<void> {
    const loops = number < 10 && seed % 4 === 0
    await pause(upTo(20_000))
    for (let visits = 0; visits < (loops ? 4 : 2); visits += 1) {
      const page = { user: `user ${number}`, isHidden: random() < 0.2, isAsleep: false, isGone: false }
      await visit(page)
      await pause(loops ? upTo(200) : upTo(10_000))
    }
  }

  function forget(): void {
    for (const one of held.values()) one.isUnsure = true
    settledAt = clock.now() + SETTLED_MS + 1_000
    noticedAt = clock.now() + NOTICED_MS
    for (const { life } of instances) life.knows = life.hasCalled
  }

  async function fate(): Promise<void> {
    const luck = random()
    if (!isShared) return
    if (luck < 0.02) {
      counts.flushed += 1
      await client.flushAll()
      forget()
      queue.clear()
    } else if (luck < 0.04) {
      counts.killed += 1
      const [dead] = instances.splice(upTo(2), 1, startInstance())
      await dead?.kill()
    } else if (luck < 0.06) {
      counts.lost += 1
      network.down = true
      const isRestart = random() < 0.5
      const downMs = upTo(40_000)
      settledAt = aloneUntil = Infinity
      await clock.advance(downMs)
      if (isRestart) {
        await client.flushAll()
        queue.clear()
      }
      network.down = false
      aloneUntil = clock.now() + RETRY_MS
      forget()
    }
  }

  const progress = { isOver: false }
  const all = Promise.all(Array.from({ length: 4 + upTo(8) }, (_, number) => live(number)))
  const ending = all.finally(() => (progress.isOver = true))
  // It is awaited below.
  ending.catch(() => {})
  for (let second = 0; second < 3_000 && !progress.isOver; second += 1) {
    await clock.advance(1_000)
    await fate()
  }
  if (!progress.isOver) fail(`pages still wait: ${JSON.stringify([...queue])}`)
  await ending
  // Nothing is left of them, and no lease was lost for good.
  await clock.advance(HIDDEN_LEASE_MS + LEASE_MS)
  const last = { user: 'the last', isHidden: false, isAsleep: false, isGone: false }
  const press = await send(last, '/session-token', { json: { usage_type: 'stt' }, accept: WITH_LEASE })
  if (press.lease === undefined) fail(`no session is free: ${JSON.stringify(press)}`)
  const gauge = instances.map(({ bff }) => bff.gauge().sessions)
  if (!gauge.some((one) => one?.open === 1 && one.waiting === 0)) fail(`left: ${JSON.stringify(gauge)}`)
  await Promise.all(instances.map(({ bff }) => bff.close()))
  return counts
}
