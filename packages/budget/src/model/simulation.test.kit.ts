import type { VirtualClock } from '@stagepass/testing/virtualClock'
import type { Clock } from '../core/Clock.js'
import type { RedisEval } from '../redis/redisClient.js'
import { applyTurnsCall, type Call, newState, type State } from '../turns/applyTurnsCall.js'
import { listOf } from '../turns/listOf.test.kit.js'

/** A process. Events during a pause are delivered when it continues, and none are delivered after a crash. */
export interface Process {
  readonly index: number
  /** Its own monotonic clock, with its own origin, a little fast or slow. */
  readonly clock: Clock
  /** Its wall clock, which may be wrong by half a minute. */
  wallClock(): number
  status: 'running' | 'paused' | 'crashed'
  deliver(task: () => void): void
  resume(): void
}

export function createProcess(time: VirtualClock, random: () => number, index: number): Process {
  const originMs = random() * 1e6
  const skewMs = (random() - 0.5) * 60_000
  const rate = 1 + (random() - 0.5) * 0.0004
  let missed: (() => void)[] = []
  const process: Process = {
    index,
    status: 'running',
    clock: {
      now: () => originMs + time.now() * rate,
      after(delayMs, task) {
        let isCancelled = false
        const run = (): void => void (isCancelled || task())
        time.at(time.now() + Math.max(0, delayMs) / rate, () => process.deliver(run))
        return () => {
          isCancelled = true
        }
      },
    },
    wallClock: () => time.now() + skewMs,
    deliver(task) {
      if (process.status === 'paused') missed.push(task)
      else if (process.status === 'running') task()
    },
    resume() {
      if (process.status !== 'paused') return
      process.status = 'running'
      const late = missed
      missed = []
      for (const task of late) time.at(time.now(), () => process.deliver(task))
    },
  }
  return process
}

/** A deliberate mistake, to check that the model finds it. */
export type PlantedFault = 'none' | 'release at send time' | 'client clock' | 'no wait after a loss'

/** Redis with the budget's rules, behind a simulated network. */
export interface Store {
  /** The connection of one process: replies keep the order of the calls. */
  connect(process: Process): RedisEval
  /** Time of this process's last call or reply that was late or lost. */
  missedAt(process: Process): number
  /** Until this time calls wait or, with `refuses`, fail. */
  stop(untilMs: number, refuses: boolean): void
  /** Until this time no call of this process arrives or, with `deaf`, no reply reaches it. */
  cut(process: Process, untilMs: number, deaf?: boolean): void
  stepClock(byMs: number): void
  /** Replaces the state. */
  replace(by: 'nothing' | 'an older copy' | 'rubbish' | 'the state without its slots'): void
}

const SNAPSHOT_EVERY_MS = 3_000

export function createStore(time: VirtualClock, random: () => number, planted: PlantedFault): Store {
  // Its clock is independent of all others.
  let originMs = 1_700_000_000_000
  let state = newState()
  let snapshot = newState()
  let snapshotAt = 0
  let stopped = { untilMs: 0, refuses: false }
  const missed = new Map<Process, number>()
  const cutUntil = new Map<Process, number>()
  const deafUntil = new Map<Process, number>()
  const openedAt = new Map<string, number>()
  const isNow = (until: Map<Process, number>, process: Process): boolean =>
    time.now() < (until.get(process) ?? 0)

  const latencyMs = (process: Process): number => {
    if (random() >= 0.01) return 0.1 + random() * 4
    missed.set(process, time.now())
    return 50 + random() * 600
  }

  const execute = (process: Process, call: Call): readonly number[] => {
    if (time.now() - snapshotAt > SNAPSHOT_EVERY_MS) {
      snapshot = structuredClone(state)
      snapshotAt = time.now()
    }
    const now = Math.floor(originMs + (planted === 'client clock' ? process.wallClock() : time.now()))
    const freeInMs = { ...call.freeInMs }
    if (planted === 'release at send time')
      for (const [id, ms] of Object.entries(freeInMs))
        if (ms > 0) freeInMs[id] = Math.max(1, (openedAt.get(id) ?? now) + call.windowMs - now)
    const reply = applyTurnsCall(
      state,
      { ...call, freeInMs, born: planted === 'no wait after a loss' ? 0 : call.born },
      now,
    )
    for (const [index, openMs] of reply.opensInMs.entries())
      openedAt.set(`${call.id}${index + 1}`, now + openMs)
    return listOf(reply)
  }

  return {
    connect(process) {
      let lastCallAt = 0
      let lastReplyAt = 0
      // Some clients send a call again until a server takes it.
      const patienceMs = random() < 0.5 ? 0 : 5_000
      return (_script, _keys, [json = '']) =>
        new Promise((resolve, reject) => {
          const givenUpAt = time.now() + patienceMs
          const reply = (settle: () => void): void => {
            // One in a hundred is lost on the way.
            if (random() < 0.01 || isNow(deafUntil, process)) return void missed.set(process, time.now())
            lastReplyAt = Math.max(lastReplyAt, time.now() + latencyMs(process))
            time.at(lastReplyAt, () => process.deliver(settle))
          }
          const arrive = (): void => {
            const isStopped = time.now() < stopped.untilMs
            if (isNow(cutUntil, process) || (isStopped && stopped.refuses)) {
              if (time.now() < givenUpAt) return time.at(time.now() + random() * 1_000, arrive)
              return reply(() => reject(new Error('ECONNREFUSED')))
            }
            if (isStopped) return time.at(stopped.untilMs, arrive)
            const numbers = execute(process, JSON.parse(json) as Call)
            reply(() => resolve(numbers))
          }
          lastCallAt = Math.max(lastCallAt, time.now() + latencyMs(process))
          time.at(lastCallAt, arrive)
        })
    },
    missedAt: (process) => missed.get(process) ?? -Infinity,
    stop(untilMs, refuses) {
      stopped = { untilMs, refuses }
    },
    cut(process, untilMs, deaf = false) {
      const until = deaf ? deafUntil : cutUntil
      until.set(process, Math.max(until.get(process) ?? 0, untilMs))
    },
    stepClock(byMs) {
      originMs += byMs
    },
    replace(by) {
      const rubbish: State = { ...newState(), born: 5, at: 7, last: 9e14, frozenUntil: 9e14 }
      const states = {
        nothing: newState(),
        'an older copy': structuredClone(snapshot),
        rubbish,
        'the state without its slots': { ...state, slots: new Map(), slotsMarked: false },
      }
      state = states[by]
    },
  }
}
