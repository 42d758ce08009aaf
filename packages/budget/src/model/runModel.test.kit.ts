import { ACCOUNT } from '../account.test.kit.js'
import { BudgetRefusal, type Budget, type Slot } from '../waiting/Budget.js'
import { createBudget } from '../createBudget.js'
import { seededRandom } from '../seededRandom.test.kit.js'
import { createProcess, type Process } from './createSimulatedProcess.test.kit.js'
import type { BudgetState } from '../core/rules/BudgetState.js'
import { createStore, type PlantedFault, type Store } from './createSimulatedRedis.test.kit.js'
import { virtualClock, type VirtualClock } from '@stagepass/testing/virtualClock'

/*
 * The whole in virtual time: processes with their own clocks, each with the budget as it ships; the store;
 * the network between them; and the upstream, which notes when each request arrives. A seed decides
 * everything: how many processes, what they ask, how long everything takes, and which misfortunes come.
 */

export interface ModelRun {
  readonly seed: number
  readonly strict: boolean
  /** What went wrong with machines, in words. */
  readonly misfortunes: readonly string[]
  /** When requests reached the upstream, in order. */
  readonly arrivals: readonly number[]
  /** When the last misfortune was over. */
  readonly calmFrom: number
  readonly endMs: number
  /** Processes that were alive at the end. */
  readonly survivors: number
  /**
   * For each grant of a light user whose process heard every answer in time: how many grants the greediest
   * other user had while it waited.
   */
  readonly overtaken: readonly number[]
  /** Requests of processes that still ran, without a result at the end although their deadline had passed. */
  readonly forgotten: number
  /** The most requests of one call that the queue held at a time. */
  readonly mostOfACall: number
}

const SHORTEST_MS = 36_000
/**
 * After the last misfortune: what is left of it when it has healed is long enough to tell a slow run from an
 * unlucky one.
 */
const AFTERMATH_MS = 45_000
/**
 * For so long after a lost answer its process does not know of its turn: the call's timeout, and the time to
 * the next one.
 */
const DEAF_MS = 1_300
const DEADLINE_MS = 10_000
/** The clocks of the processes are a little fast or slow. */
const PATIENCE_MS = DEADLINE_MS + 100

/**
 * For longer than a window an instance that is cut off alone uses its share beside the slots of the others.
 */
const LONGEST_CUT_ALONE_MS = 5_000
/**
 * So far apart in time all connections are lost, and so long a client waits at most until it tries to connect
 * again.
 */
const MOST_APART_MS = 400
const LONGEST_RECONNECT_MS = 2_000

/** One kind of misfortune, to look for what it breaks. */
export const MISFORTUNES = ['lost answers', 'cut of all'] as const
type Misfortune = (typeof MISFORTUNES)[number]

export async function runModel(
  seed: number,
  planted: PlantedFault = 'none',
  only?: Misfortune,
): Promise<ModelRun> {
  const random = seededRandom(seed)
  const time = virtualClock(0)
  const strict = random() < 0.25
  const store = createStore({ time, random, planted })
  const count = 1 + Math.floor(random() * 4)
  const processes = Array.from({ length: count }, (_, index) =>
    createProcess(time, {
      index,
      originMs: random() * 1e6,
      skewMs: (random() - 0.5) * 60_000,
      rate: 1 + (random() - 0.5) * 0.0004,
    }),
  )
  const journal = createJournal(time, store)
  for (const process of processes) {
    const budget = createBudget({
      ...ACCOUNT,
      account: 'model',
      redis: store.connect(process),
      clock: process.clock,
      random,
      strict,
    })
    startUsers({ time, random, process, budget, journal })
    if (seed % 3 === 0) startCrowd({ time, random, process, budget, journal })
  }
  const { misfortunes, calmFrom } = planMisfortunes({ time, random, store, processes, only })
  const endMs = Math.max(SHORTEST_MS, calmFrom + AFTERMATH_MS)
  await time.advance(endMs)
  return {
    seed,
    strict,
    misfortunes,
    calmFrom,
    endMs,
    survivors: processes.filter((process) => process.isAlive()).length,
    arrivals: journal.arrivals.toSorted((a, b) => a - b),
    overtaken: journal.overtaken,
    forgotten: journal
      .open()
      .filter(({ since, process }) => process.isRunning() && endMs - since > PATIENCE_MS).length,
    mostOfACall: store.mostOfACall(),
  }
}

interface Journal {
  readonly arrivals: number[]
  readonly overtaken: number[]
  /** A request begins to wait. */
  wait(user: string, process: Process): Wait
  open(): Wait[]
}

interface Wait {
  readonly since: number
  readonly process: Process
  granted(): void
  /** It has a result. */
  over(): void
}

function createJournal(time: VirtualClock, store: Store): Journal {
  const arrivals: number[] = []
  const overtaken: number[] = []
  const grants: { readonly at: number; readonly user: string }[] = []
  const open = new Set<Wait>()
  return {
    arrivals,
    overtaken,
    wait(user, process) {
      const since = time.now()
      const granted = (): void => {
        if (user.startsWith('light') && store.missedAt(process) < since - DEAF_MS) {
          const others = new Map<string, number>()
          for (let index = grants.length - 1; index >= 0; index -= 1) {
            const grant = grants[index]
            if (grant === undefined || grant.at <= since) break
            if (grant.user !== user) others.set(grant.user, (others.get(grant.user) ?? 0) + 1)
          }
          overtaken.push(Math.max(0, ...others.values()))
        }
        grants.push({ at: time.now(), user })
      }
      const wait: Wait = { since, process, granted, over: () => void open.delete(wait) }
      open.add(wait)
      return wait
    },
    open: () => [...open],
  }
}

interface UsersOptions {
  readonly time: VirtualClock
  readonly random: () => number
  readonly process: Process
  readonly budget: Budget
  readonly journal: Journal
}

/** A greedy user that asks for more than there is, and two light ones; everybody is on every process. */
function startUsers(options: UsersOptions): void {
  const { time, random, process } = options
  const greedy = 10 + Math.floor(random() * 10)
  for (let index = 0; index < greedy; index += 1) {
    const again = (): void => {
      const done = (afterMs: number): void => time.at(time.now() + afterMs, () => process.deliver(again))
      void request(options, 'greedy', done)
    }
    time.at(random() * 2_000, () => process.deliver(again))
  }
  for (const user of ['light one', 'light two']) {
    const again = (): void => {
      void request(options, user, () => undefined)
      time.at(time.now() + 2_000 + random() * 6_000, () => process.deliver(again))
    }
    time.at(random() * 8_000, () => process.deliver(again))
  }
}

/** Many users of few pages, who come in waves. */
function startCrowd(options: UsersOptions): void {
  const { time, random, process } = options
  for (let user = 0; user < 20; user += 1) {
    const page = `page ${Math.floor(random() * 3)}`
    const again = (): void => {
      const done = (afterMs: number): void =>
        time.at(time.now() + afterMs + 1_000, () => process.deliver(again))
      void request(options, `crowd ${user}`, done, page)
    }
    time.at(random() * 3_000, () => process.deliver(again))
  }
}

async function request(
  options: UsersOptions,
  user: string,
  done: (againAfterMs: number) => void,
  // Of some requests it is known which page they want, and users want the same ones.
  call = options.random() < 0.3 ? `page ${Math.floor(options.random() * 5)}` : undefined,
): Promise<void> {
  const { time, random, process, budget, journal } = options
  const controller = new AbortController()
  if (random() < 0.03) {
    const leave = (): void => controller.abort()
    time.at(time.now() + random() * 3_000, () => process.deliver(leave))
  }
  const wait = journal.wait(user, process)
  try {
    const slot = await budget.acquire({ user, call, deadlineMs: DEADLINE_MS, signal: controller.signal })
    if (slot === 'shared') return done(200)
    wait.granted()
    sendUpstream(options, slot, () => done(0))
  } catch (error) {
    done(error instanceof BudgetRefusal ? error.retryAfterMs : 500)
  } finally {
    wait.over()
  }
}

/**
 * One request: when it arrives, and what its process hears of it. What was sent arrives, also from a process
 * that has died since.
 */
function sendUpstream({ time, random, process, journal }: UsersOptions, slot: Slot, done: () => void): void {
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
  time.at(arrivesAt, () => journal.arrivals.push(arrivesAt))
  if (dice < 0.04) return end(sentAt + random() * 100, 'aborted')
  const answeredAt = arrivesAt + 5 + random() * (random() < 0.03 ? 12_000 : 80)
  if (answeredAt > sentAt + 10_000) return end(sentAt + 10_000, 'aborted')
  end(answeredAt, 'answered')
}

interface MisfortuneOptions {
  readonly time: VirtualClock
  readonly random: () => number
  readonly store: Store
  readonly processes: readonly Process[]
  readonly only: Misfortune | undefined
}

/** What may be found in the place of the state. */
const CHANGES: readonly (readonly [what: string, change: (state: BudgetState | undefined) => unknown])[] = [
  ['text in its place', () => 'no state'],
  ['a list in its place', () => []],
  ['slots that are no list', (state) => ({ ...state, slots: 5 })],
  ['a newer version', (state) => ({ ...state, version: 99 })],
  ['an older version', (state) => ({ ...state, version: 0 })],
  ['a field of a later release', (state) => state && { ...state, later: { any: 'thing' } }],
]

function pickFrom<TItem>(items: readonly TItem[], random: () => number): TItem {
  return items[Math.floor(random() * items.length)] as TItem // the index is in the list
}

function planMisfortunes(options: MisfortuneOptions): { misfortunes: string[]; calmFrom: number } {
  const { time, random, store, processes, only } = options
  const misfortunes: string[] = []
  let calmFrom = 0
  const number = Math.floor(random() * 3)
  for (let index = 0; index < number; index += 1) {
    const atMs = 3_000 + random() * 12_000
    const lengthMs = 100 + random() ** 2 * 12_000
    const plan = (name: string, begin: () => void, end?: () => void, restMs = 0): void => {
      misfortunes.push(`${name} at ${Math.round(atMs)} for ${Math.round(lengthMs)}`)
      calmFrom = Math.max(calmFrom, atMs + lengthMs + restMs)
      time.at(atMs, begin)
      if (end !== undefined) time.at(atMs + lengthMs, end)
    }
    const victim = processes[Math.floor(random() * processes.length)]
    if (victim === undefined) continue
    const dice = Math.floor(random() * 10)
    // Half of the cuts are of one direction, and long ones are of all. No draw of their own: the seeds from
    // before keep their course.
    const isCut = dice === 8 && only === undefined
    if (only === 'cut of all' || (isCut && lengthMs > LONGEST_CUT_ALONE_MS)) {
      // Each loses its connection, and has a new one, at its own time.
      const draw = seededRandom(Math.floor(lengthMs))
      const begin = (): void => {
        for (const process of processes)
          time.at(time.now() + draw() * MOST_APART_MS, () =>
            store.cutOff(process, lengthMs + draw() * LONGEST_RECONNECT_MS),
          )
      }
      plan('cut of all processes', begin, undefined, MOST_APART_MS + LONGEST_RECONNECT_MS)
    } else if (only === 'lost answers' || (isCut && lengthMs % 2 < 1))
      plan(`lost answers of process ${victim.index}`, () =>
        store.loseAnswers(victim, 500 + (lengthMs % 2_500)),
      )
    else if (dice === 0) plan(`crash of process ${victim.index}`, () => victim.crash())
    else if (dice === 1)
      plan(
        `pause of process ${victim.index}`,
        () => victim.pause(),
        () => victim.resume(),
      )
    else if (dice === 2) plan('restart of the store', () => store.restart(lengthMs))
    else if (dice === 3) plan('flush of the store', () => store.flush())
    else if (dice === 4) plan('pause of the store', () => store.pause(lengthMs))
    else if (dice === 5) plan('restore of the store', () => store.restore(Math.max(300, lengthMs)))
    else if (dice === 6 || dice === 7) {
      // Seconds, or hours.
      const stepMs = Math.floor(random() < 0.5 ? 2_000 + random() * 20_000 : random() * 1e7 + 60_000)
      const byMs = dice === 6 ? stepMs : -stepMs
      plan(`step of the store's clock by ${byMs}`, () => store.stepClock(byMs))
    } else if (dice === 8) plan(`cut of process ${victim.index}`, () => store.cutOff(victim, lengthMs))
    else {
      const change = pickFrom(CHANGES, random)
      plan(`a state with ${change[0]}`, () => store.change(change[1]))
    }
  }
  return { misfortunes, calmFrom }
}
