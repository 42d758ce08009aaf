import { applyOp } from '../core/rules/applyOp.js'
import type { BudgetState } from '../core/rules/BudgetState.js'
import type { BudgetOp, BudgetRules } from '../core/protocol.js'
import { readState } from '../core/rules/readState.js'
import type { RedisEval } from '../redis/redisClient.js'
import type { Process } from './createSimulatedProcess.test.kit.js'
import type { VirtualClock } from '@stagepass/testing/virtualClock'

/** A mistake built in on purpose, to see that the model finds it. */
export type PlantedFault = 'none' | 'release at send time' | 'client clock' | 'unordered wake-up'

/** Redis with the budget's script, at the other end of a network. */
export interface Store {
  /** The connection of one process: answers keep the order of the calls. */
  connect(process: Process): RedisEval
  /** When a call or an answer of this process was last late, or lost on the way. */
  missedAt(process: Process): number
  /** The most requests of one call that the queue held at a time. */
  mostOfACall(): number
  /** Restarts empty, `downMs` later. */
  restart(downMs: number): void
  /** Forgets everything at once. */
  flush(): void
  /** Stands still; calls are answered afterwards. */
  pause(pauseMs: number): void
  /** Restarts with what it was some seconds ago, `downMs` later. */
  restore(downMs: number): void
  /** Only this process does not reach it for a while. */
  cutOff(process: Process, lengthMs: number): void
  /** It hears this process, and this process does not hear it. */
  loseAnswers(process: Process, lengthMs: number): void
  /** Its clock steps, forward or back. */
  stepClock(byMs: number): void
  /** Somebody changes what it holds. */
  change(change: (state: BudgetState | undefined) => unknown): void
}

export interface StoreOptions {
  readonly time: VirtualClock
  readonly random: () => number
  readonly planted: PlantedFault
}

const SNAPSHOT_EVERY_MS = 3_000

export function createStore({ time, random, planted }: StoreOptions): Store {
  // Its clock has nothing to do with anybody else's.
  let originMs = 1_700_000_000_000
  let state: BudgetState | undefined
  let changed: unknown
  let snapshot: BudgetState | undefined
  let snapshotAt = 0
  let mostOfACall = 0
  let downUntil = 0
  let pausedUntil = 0
  const missed = new Map<Process, number>()
  const cutUntil = new Map<Process, number>()
  const unheardUntil = new Map<Process, number>()

  const latencyMs = (process: Process): number => {
    if (random() >= 0.01) return 0.1 + random() * 4
    missed.set(process, time.now())
    return 50 + random() * 600
  }

  const execute = (process: Process, rulesJson: string, opJson: string): string => {
    const rules = JSON.parse(rulesJson) as BudgetRules
    const op = JSON.parse(opJson) as BudgetOp
    if (time.now() - snapshotAt > SNAPSHOT_EVERY_MS) {
      snapshot = structuredClone(state)
      snapshotAt = time.now()
    }
    const now = Math.floor(originMs + (planted === 'client clock' ? process.wallClock() : time.now()))
    if (planted === 'unordered wake-up' && state !== undefined) forgetOrder(state, random)
    const previous = changed === undefined ? state : readState(changed)
    changed = undefined
    const applied = applyOp(previous, rules, op, now)
    state = applied.state
    if (planted === 'release at send time') releaseAtSend(state, rules)
    mostOfACall = Math.max(mostOfACall, ...callSizes(state))
    return JSON.stringify(applied.reply)
  }

  return {
    connect(process) {
      let lastCallAt = 0
      let lastAnswerAt = 0
      // Some clients send a call again until a server takes it.
      const patienceMs = random() < 0.5 ? 0 : 5_000
      return (_script, _keys, [rulesJson = '', opJson = '']) =>
        new Promise((resolve, reject) => {
          const givenUpAt = time.now() + patienceMs
          const answer = (settle: () => void): void => {
            // One in a hundred is lost on the way.
            const unheard = time.now() < (unheardUntil.get(process) ?? 0)
            if (random() < 0.01 || unheard) return void missed.set(process, time.now())
            lastAnswerAt = Math.max(lastAnswerAt, time.now() + latencyMs(process))
            time.at(lastAnswerAt, () => process.deliver(settle))
          }
          const arrive = (): void => {
            if (time.now() < Math.max(downUntil, cutUntil.get(process) ?? 0)) {
              if (time.now() < givenUpAt) return time.at(time.now() + random() * 1_000, arrive)
              return answer(() => reject(new Error('ECONNREFUSED')))
            }
            if (time.now() < pausedUntil) return time.at(pausedUntil, arrive)
            const text = execute(process, rulesJson, opJson)
            answer(() => resolve(text))
          }
          lastCallAt = Math.max(lastCallAt, time.now() + latencyMs(process))
          time.at(lastCallAt, arrive)
        })
    },
    mostOfACall: () => mostOfACall,
    missedAt: (process) => missed.get(process) ?? -Infinity,
    restart(downMs) {
      state = undefined
      downUntil = time.now() + downMs
    },
    flush() {
      state = undefined
    },
    pause(pauseMs) {
      pausedUntil = time.now() + pauseMs
    },
    restore(downMs) {
      state = structuredClone(snapshot)
      downUntil = time.now() + downMs
    },
    cutOff(process, lengthMs) {
      cutUntil.set(process, Math.max(cutUntil.get(process) ?? 0, time.now() + lengthMs))
    },
    loseAnswers(process, lengthMs) {
      unheardUntil.set(process, time.now() + lengthMs)
    },
    stepClock(byMs) {
      originMs += byMs
    },
    change(change) {
      changed = change(structuredClone(state))
    },
  }
}

function callSizes(state: BudgetState): number[] {
  const sizes = new Map<string, number>()
  for (const { call } of state.waiters) if (call !== undefined) sizes.set(call, (sizes.get(call) ?? 0) + 1)
  return [...sizes.values()]
}

/** Each request counts as a user of its own, and they go in any order. */
function forgetOrder(state: BudgetState, random: () => number): void {
  state.waiters = state.waiters
    .map((waiter) => ({ waiter: { ...waiter, user: waiter.id }, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ waiter }) => waiter)
  state.tags = {}
}

function releaseAtSend(state: BudgetState, rules: BudgetRules): void {
  for (const slot of state.slots) {
    if (slot.doneAt >= 0) continue
    slot.doneAt = slot.grantedAt
    slot.freeAt = slot.grantedAt + rules.windowMs + rules.marginMs
  }
}
