import { virtualClock, type VirtualClock } from '@stagepass/testing/virtualClock'
import { createBudget } from '../createBudget.js'
import { seededRandom } from '../seededRandom.test.kit.js'
import { type Budget, BudgetRefusal, type Slot } from '../waiting/Budget.js'
import {
  createProcess,
  createStore,
  type PlantedFault,
  type Process,
  type Store,
} from './simulation.test.kit.js'

/*
 * A simulation of the whole system in virtual time: processes with their own clocks, each with the real
 * budget; Redis; the network between them; and the upstream, which records when each request arrives. A seed
 * decides everything: the number of processes, their requests, all durations, and the failures.
 */

export interface ModelRun {
  readonly seed: number
  /** The limit of single seconds is the configured one. */
  readonly bySecond: boolean
  /** The failures of machines. */
  readonly misfortunes: readonly { readonly kind: Misfortune; readonly text: string }[]
  /** Times at which requests reached the upstream, in order. */
  readonly arrivals: readonly number[]
  /** End of the last failure. */
  readonly calmFrom: number
  readonly endMs: number
  /** Processes that were alive at the end. */
  readonly survivors: number
  /**
   * For each grant of a light user whose process got every reply in time: the number of grants of the greedy
   * user in the same process during the wait.
   */
  readonly overtaken: readonly number[]
  /** Requests of live processes that had no result at the end although their deadline had passed. */
  readonly forgotten: number
  /** The longest time without an arrival while a live process had a waiting request. */
  readonly longestPauseMs: number
}

const MISFORTUNES = [
  'crash',
  'pause',
  'restart',
  'flush',
  'redis stands still',
  'older copy',
  'rubbish',
  'clock back',
  'clock forward',
  'cut',
  'lost replies',
  'cut of all',
] as const
/** `slots lost` has tests of its own: as a random one it would change the histories of all known seeds. */
export type Misfortune = (typeof MISFORTUNES)[number] | 'slots lost'

const SHORTEST_MS = 36_000
/** Time after the last failure, long enough to distinguish a slow run from an unlucky one. */
const AFTERMATH_MS = 45_000
/** For this time after a lost reply its process does not know about its turn. */
const DEAF_MS = 2_000
const DEADLINE_MS = 10_000
/** The clocks of the processes are a little fast or slow. */
const OVERDUE_MS = DEADLINE_MS + 100

export async function runModel(
  seed: number,
  planted: PlantedFault = 'none',
  only?: Misfortune,
): Promise<ModelRun> {
  const random = seededRandom(seed)
  const time = virtualClock(0)
  const bySecond = random() < 0.25
  const account = bySecond ? { limit: 5, windowMs: 1_000 } : { limit: 25, windowMs: 5_000 }
  const store = createStore(time, random, planted)
  const processes = Array.from({ length: 1 + Math.floor(random() * 4) }, (_, index) =>
    createProcess(time, random, index),
  )
  const world: World = { time, random, store, arrivals: [], grants: [], overtaken: [], open: new Set() }
  for (const process of processes) {
    const redis = store.connect(process)
    const budget = createBudget({ ...account, redis, clock: process.clock, random })
    startUsers(world, process, budget)
  }
  const { misfortunes, calmFrom } = planMisfortunes(world, processes, only)
  const endMs = Math.max(SHORTEST_MS, calmFrom + AFTERMATH_MS)
  await time.advance(endMs)
  const arrivals = world.arrivals.toSorted((a, b) => a - b)
  const overdue = [...world.open].filter(
    ({ since, process }) => process.status === 'running' && endMs - since > OVERDUE_MS,
  )
  return {
    seed,
    bySecond,
    misfortunes,
    arrivals,
    calmFrom,
    endMs,
    survivors: processes.filter(({ status }) => status !== 'crashed').length,
    overtaken: world.overtaken,
    forgotten: overdue.length,
    longestPauseMs: Math.max(...arrivals.map((at, index) => at - (arrivals[index - 1] ?? at))),
  }
}

interface World {
  readonly time: VirtualClock
  readonly random: () => number
  readonly store: Store
  readonly arrivals: number[]
  readonly grants: { readonly at: number; readonly user: string; readonly process: Process }[]
  readonly overtaken: number[]
  readonly open: Set<{ readonly since: number; readonly process: Process }>
}

/**
 * A greedy user that asks for more than the limit, two light users, and pages for which several users wait.
 */
function startUsers(world: World, process: Process, budget: Budget): void {
  const { time, random } = world
  const keepAsking = (user: string | readonly string[], pauseMs: () => number, startMs: number): void => {
    const again = (): void => {
      const done = (afterMs: number): void =>
        time.at(time.now() + afterMs + pauseMs(), () => process.deliver(again))
      void request(world, process, budget, user, done)
    }
    time.at(startMs, () => process.deliver(again))
  }
  const greedy = 10 + Math.floor(random() * 10)
  for (let index = 0; index < greedy; index += 1) keepAsking('greedy', () => 0, random() * 2_000)
  for (const user of ['light one', 'light two'])
    keepAsking(user, () => 2_000 + random() * 6_000, random() * 8_000)
  for (let page = 0; page < 3; page += 1)
    keepAsking(['greedy', `crowd ${page}`, 'crowd'], () => 1_000 + random() * 3_000, random() * 3_000)
}

async function request(
  world: World,
  process: Process,
  budget: Budget,
  user: string | readonly string[],
  done: (againAfterMs: number) => void,
): Promise<void> {
  const { time, random } = world
  const controller = new AbortController()
  if (random() < 0.03) time.at(time.now() + random() * 3_000, () => process.deliver(() => controller.abort()))
  const since = time.now()
  const wait = { since, process }
  world.open.add(wait)
  try {
    const users = typeof user === 'string' ? user : () => user.map((name) => ({ user: name }))
    const slot = await budget.acquire({ user: users, deadlineMs: DEADLINE_MS, signal: controller.signal })
    const name = String(user)
    if (name.startsWith('light') && world.store.missedAt(process) < since - DEAF_MS) {
      const during = world.grants.filter((grant) => grant.at > since && grant.process === process)
      world.overtaken.push(during.filter((grant) => grant.user === 'greedy').length)
    }
    world.grants.push({ at: time.now(), user: name, process })
    send(world, process, slot, () => done(0))
  } catch (error) {
    done(error instanceof BudgetRefusal ? error.retryAfterMs : 500)
  } finally {
    world.open.delete(wait)
  }
}

/**
 * One request: its arrival, and the response to its process. A sent request arrives even if its process has
 * died since.
 */
function send({ time, random, arrivals }: World, process: Process, slot: Slot, done: () => void): void {
  const end = (atMs: number, outcome: Parameters<Slot['release']>[0]): void =>
    time.at(atMs, () =>
      process.deliver(() => {
        slot.release(outcome)
        done()
      }),
    )
  const sentAt = time.now()
  const dice = random()
  if (dice < 0.02) return end(sentAt + random() * 50, 'unsent')
  const arrivesAt = sentAt + (random() < 0.05 ? random() * 800 : 5 + random() * 60)
  time.at(arrivesAt, () => arrivals.push(arrivesAt))
  if (dice < 0.04) return end(sentAt + random() * 100, 'aborted')
  const answeredAt = arrivesAt + 5 + random() * (random() < 0.03 ? 12_000 : 80)
  if (answeredAt > sentAt + 10_000) return end(sentAt + 10_000, 'aborted')
  end(answeredAt, 'answered')
}

function planMisfortunes(
  { time, random, store }: World,
  processes: readonly Process[],
  only: Misfortune | undefined,
): Pick<ModelRun, 'misfortunes' | 'calmFrom'> {
  const misfortunes: ModelRun['misfortunes'][number][] = []
  let calmFrom = 0
  const number = only ? 1 : Math.floor(random() * 3)
  for (let index = 0; index < number; index += 1) {
    const kind = only ?? MISFORTUNES[Math.floor(random() * MISFORTUNES.length)] ?? 'flush'
    const victim = processes[Math.floor(random() * processes.length)]
    if (!victim) continue
    const atMs = 3_000 + random() * 12_000
    const lengthMs = 100 + random() ** 2 * 12_000
    const untilMs = atMs + lengthMs
    const stepMs = Math.floor(random() < 0.5 ? 2_000 + random() * 20_000 : random() * 1e7 + 60_000)
    const apart = processes.map(() => random())
    const lost = (by: Parameters<Store['replace']>[0]) => () => {
      store.replace(by)
      store.stop(untilMs, true)
    }
    const begin: Record<Misfortune, () => void> = {
      crash: () => void (victim.status = 'crashed'),
      pause: () => void (victim.status === 'running' && (victim.status = 'paused')),
      restart: lost('nothing'),
      flush: () => store.replace('nothing'),
      'redis stands still': () => store.stop(untilMs, false),
      'older copy': lost('an older copy'),
      rubbish: () => store.replace('rubbish'),
      'slots lost': () => store.replace('the state without its slots'),
      'clock back': () => store.stepClock(-stepMs),
      'clock forward': () => store.stepClock(stepMs),
      cut: () => store.cut(victim, untilMs),
      'lost replies': () => store.cut(victim, untilMs, true),
      // Each process loses its connection and gets a new one at its own time.
      'cut of all': () => {
        for (const [one, process] of processes.entries())
          store.cut(process, untilMs + (apart[one] ?? 0) * 400)
      },
    }
    misfortunes.push({
      kind,
      text: `${kind} of ${victim.index} at ${Math.round(atMs)} for ${Math.round(lengthMs)}`,
    })
    calmFrom = Math.max(calmFrom, untilMs + 400)
    time.at(atMs, begin[kind])
    if (kind === 'pause') time.at(untilMs, () => victim.resume())
  }
  return { misfortunes, calmFrom }
}
