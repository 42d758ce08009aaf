import { type VirtualClock, virtualClock } from '@stagepass/testing/virtualClock'
import { createSessions } from '../createSessions.js'
import { seededRandom } from '../seededRandom.test.kit.js'
import type { SessionsOptions } from '../SessionsOptions.js'
import { type Leased, type Queued, type Sessions, type SessionsGauge, SessionsRefusal } from './Sessions.js'

/** Chances of a session, from 0 to 1. */
interface Misfortunes {
  /** The page is gone without a word. The service notices at once. */
  readonly crash: number
  /** The connection breaks. The service counts it for 30 s more. */
  readonly drop: number
  /** The page is loaded again. */
  readonly reload: number
  /** A silence: the socket is closed, and opens again after 2 to 22 s. */
  readonly silence: number
}

/** What the pages need of `Sessions`. */
export type PageSessions = Pick<Sessions, 'ask' | 'renew' | 'release' | 'gauge' | 'close'> & {
  refused(id: string, user: string): Promise<Leased | Queued>
}

export interface Scene extends Partial<Misfortunes> {
  readonly pages: number
  /** Sessions that the service allows. */
  readonly allowed: number
  readonly holdMs: number
  readonly options?: SessionsOptions
  /** The instances, which get the calls in turns. Default: one process with `options`. */
  readonly createInstances?: (clock: VirtualClock, random: () => number) => readonly PageSessions[]
  readonly roundTripMs?: number
  /** Pages come over time, at this part of what the service can take, and not at once. */
  readonly load?: number
  /** Part of the pages that are in the background: they renew once a minute, but the BFF waits for them. */
  readonly hidden?: number
  /** So many of the first pages belong to one user. */
  readonly greedy?: number
  /** Each page has a token, and last heard of free sessions: it opens at once, and asks beside it. */
  readonly isWarm?: boolean
  /** The service counts a closed session for this much longer. */
  readonly lingerMs?: number
  readonly seed?: number
}

const RENEW_MS = 10_000
const LOST_LINGER_MS = 30_000
const MINUTE_MS = 60_000

interface Page {
  readonly user: string
  readonly isHidden: boolean
  leftMs: number
  pressedAt: number
  waitedMs: number | undefined
  id: string | undefined
  refusals: number
  /** It has opened before the answer about its place, and that was no lease. */
  isEarly: boolean
}

/** Pages that share the sessions of a service, in virtual time. */
export async function runPages(scene: Scene) {
  const { pages, allowed, holdMs, roundTripMs = 50, load, hidden = 0, greedy = 0, lingerMs = 0 } = scene
  const { crash = 0, drop = 0, reload = 0, silence = 0 } = scene
  const clock = virtualClock()
  const random = seededRandom(scene.seed ?? 1)
  const instances = scene.createInstances?.(clock, random) ?? [createSessions({ ...scene.options, clock })]
  let calls = 0
  const next = (): PageSessions => instances[(calls += 1) % instances.length] as PageSessions
  const later = (ms: number, task: () => unknown): void =>
    void clock.after(ms, () => void clock.track(Promise.resolve(task())))
  const trip = (): number => (roundTripMs / 2) * (0.8 + random() * 0.4)

  /** The service: its open sockets, and since when each free session has been free. */
  let open = 0
  const freeSince = Array.from({ length: allowed }, () => 0)
  const free = (): void => {
    open -= 1
    freeSince.push(clock.now())
  }
  let wanting = 0
  let wantedSince = 0
  const idleMs: number[] = []
  const result = {
    leases: 0,
    early: 0,
    refused: 0,
    done: 0,
    crashed: 0,
    failed: 0,
    mostRefusals: 0,
    mostLeased: 0,
  }

  /** Not random, so that each run of a seed is the same. */
  let requests = 0

  const want = (change: number): void => {
    if (wanting === 0 && change > 0) wantedSince = clock.now()
    wanting += change
  }

  function visit(page: Page): void {
    page.pressedAt = clock.now()
    want(1)
    if (!scene.isWarm) return later(trip(), () => ask(page))
    page.id = `request-${(requests += 1)}`
    const request = { user: page.user, id: page.id }
    result.leases += 1
    page.isEarly = true
    later(trip(), async () => {
      const { status } = await next().ask(request)
      page.isEarly = status !== 'leased'
    })
    later(trip() + roundTripMs, () => connect(page))
  }

  async function ask(page: Page): Promise<void> {
    page.id ??= `request-${(requests += 1)}`
    const id = page.id
    await take(page, (sessions) => sessions.ask({ user: page.user, id }))
  }

  async function take(page: Page, call: (to: PageSessions) => Promise<Leased | Queued>): Promise<void> {
    const sessions = next()
    try {
      answer(page, await call(sessions), sessions.gauge())
    } catch (error) {
      if (!(error instanceof SessionsRefusal)) throw error
      if (error.retryAfterMs < Infinity) return later(error.retryAfterMs, () => ask(page))
      result.failed += 1
      want(-1)
    }
  }

  function answer(page: Page, { status, retryMs }: Leased | Queued, gauge: SessionsGauge): void {
    result.mostLeased = Math.max(result.mostLeased, gauge.open)
    if (status === 'leased') {
      page.isEarly = false
      result.leases += 1
      if (gauge.max === undefined) result.early += 1
      return later(trip() + roundTripMs, () => connect(page))
    }
    later(trip() + retryMs * (0.9 + random() * 0.2) + trip(), () => ask(page))
  }

  async function connect(page: Page): Promise<void> {
    if (open >= allowed) {
      result.refused += 1
      page.refusals += 1
      result.mostRefusals = Math.max(result.mostRefusals, page.refusals)
      // Without a lease it has nothing to report.
      if (page.isEarly) return later(roundTripMs, () => ask(page))
      later(roundTripMs, () => take(page, (sessions) => sessions.refused(page.id ?? '', page.user)))
      return
    }
    open += 1
    const since = freeSince.shift() ?? 0
    idleMs.push(clock.now() - Math.max(since, wantedSince))
    want(-1)
    page.waitedMs ??= clock.now() - page.pressedAt
    const connection = { isOpen: true, openedAt: clock.now() }
    later(roundTripMs, () => renew(page, connection))
    fate(page, connection)
  }

  async function renew(page: Page, connection: { isOpen: boolean }): Promise<void> {
    if (!connection.isOpen) return
    await next().renew(page.id ?? '', { user: page.user, isHidden: page.isHidden })
    later(page.isHidden ? MINUTE_MS : RENEW_MS, () => renew(page, connection))
  }

  function fate(page: Page, connection: { isOpen: boolean; openedAt: number }): void {
    const luck = random()
    const at = Math.min(page.leftMs, random() * page.leftMs + 200)
    const close = (countedMs: number): void => {
      connection.isOpen = false
      page.leftMs -= clock.now() - connection.openedAt
      later(countedMs, free)
    }
    const release = (): void =>
      later(trip() + roundTripMs, async () => {
        const id = page.id ?? ''
        page.id = undefined
        await next().release(id, page.user)
      })
    if (luck < crash)
      return later(at, () => {
        close(trip())
        result.crashed += 1
      })
    if (luck < crash + drop)
      return later(at, async () => {
        close(LOST_LINGER_MS)
        await next().renew(page.id ?? '', { user: page.user, holds: 'opening' })
        want(1)
        later(2_000, () => connect(page))
      })
    if (luck < crash + drop + reload)
      return later(at, () => {
        close(trip() + lingerMs)
        release()
        later(2_000, () => visit(page))
      })
    if (luck < crash + drop + reload + silence)
      return later(at, async () => {
        close(trip() + lingerMs)
        const parked = { isParked: true }
        const park = async (): Promise<void> => {
          if (!parked.isParked) return
          await next().renew(page.id ?? '', { user: page.user, holds: 'parked' })
          later(RENEW_MS, park)
        }
        await park()
        later(2_000 + random() * 20_000, () => {
          parked.isParked = false
          visit(page)
        })
      })
    return later(page.leftMs, () => {
      close(trip() + lingerMs)
      release()
      result.done += 1
    })
  }

  const all = Array.from({ length: pages }, (_, index): Page => ({
    user: index < greedy ? 'greedy' : `user-${index}`,
    isHidden: random() < hidden,
    leftMs: load === undefined ? holdMs : -Math.log(1 - random()) * holdMs,
    pressedAt: 0,
    waitedMs: undefined,
    id: undefined,
    refusals: 0,
    isEarly: false,
  }))
  const holds = all.map(({ leftMs }) => leftMs)
  const starts = all.map(() => random() * (load === undefined ? 500 : (pages * holdMs) / allowed / load))
  for (const [index, page] of all.entries()) later(starts[index] ?? 0, () => visit(page))
  let lastMs = 0
  while (result.done + result.crashed + result.failed < pages && lastMs < 3_600_000) {
    await clock.advance(1_000)
    lastMs += 1_000
  }
  const number = next().gauge().max
  await Promise.all(instances.map((instance) => instance.close()))

  const servers = Array.from({ length: allowed }, () => 0)
  let idealMs = 0
  for (const index of starts
    .map((_, index) => index)
    .toSorted((a, b) => (starts[a] ?? 0) - (starts[b] ?? 0))) {
    servers.sort((a, b) => a - b)
    const start = starts[index] ?? 0
    const from = Math.max(start, servers[0] ?? 0)
    idealMs = Math.max(idealMs, from - start)
    servers[0] = from + (holds[index] ?? 0)
  }
  const longestMs = Math.max(...all.map(({ waitedMs = Infinity }) => waitedMs))
  const lightMs = Math.max(...all.slice(greedy).map(({ waitedMs = Infinity }) => waitedMs))
  return {
    ...result,
    stuck: pages - result.done - result.crashed - result.failed,
    lastMs,
    idleMs: Math.max(0, ...idleMs),
    longestMs,
    lightMs,
    idealMs,
    ratio: longestMs / idealMs,
    number,
  }
}
