import { ACCOUNT } from '../../account.test.kit.js'
import { budgetRules } from '../../BudgetOptions.js'
import { applyOp } from './applyOp.js'
import { type BudgetState, createBudgetState, type HeldSlot, type QueuedRequest } from './BudgetState.js'
import type { AskAction, BudgetAction, BudgetOp, BudgetReply, BudgetRules } from '../protocol.js'
import { KeyMap } from './tables.js'
import type { Turn } from './Turn.js'

/** 25 slots in five seconds, five in a second, ten for one user at once; ten may wait. */
export const rules = budgetRules({ ...ACCOUNT, maxWaiting: 10 })

export const SENDER = {
  instance: 'one',
  epoch: '',
  seen: 0,
  newEpoch: 'epoch',
  after: 'reply',
  silentMs: 0,
  sentAt: 0,
  actions: [],
} as const

interface Ledger {
  state(): BudgetState
  call(action: BudgetAction | undefined, now: number, op?: Partial<BudgetOp>): BudgetReply
}

/** One state, called by one instance unless told. */
export function createLedger(by: BudgetRules = rules, start?: BudgetState | 'broken'): Ledger {
  let state = start
  return {
    state: () => (state === 'broken' || state === undefined ? createBudgetState('none', by) : state),
    call(action, now, op) {
      const applied = applyOp(state, by, { ...SENDER, actions: action ? [action] : [], ...op }, now)
      state = applied.state
      return applied.reply
    },
  }
}

/** A request that begins, of an instance that is named in its id. */
export const ask = (id: string, user: string, more: Partial<AskAction> = {}): AskAction => ({
  type: 'ask',
  id,
  user,
  cost: 1_000,
  background: false,
  withinMs: 10_000,
  ...more,
})

/** A state in which these fields differ from those of a new one. */
export const stateWith = (fields: Partial<BudgetState>): BudgetState => ({
  ...createBudgetState('epoch', rules),
  ...fields,
})

/** A slot in flight. */
export const slotOf = (id: string, grantedAt: number, more: Partial<HeldSlot> = {}): HeldSlot => ({
  id,
  user: 'ada',
  grantedAt,
  doneAt: -1,
  freeAt: grantedAt + rules.timeoutMs + rules.windowMs,
  ...more,
})

/** A slot whose response came at once. */
export const answered = (id: string, at: number, more: Partial<HeldSlot> = {}): HeldSlot =>
  slotOf(id, at, { doneAt: at, freeAt: at + rules.windowMs + rules.marginMs, ...more })

export const waiterOf = (id: string, user: string, more: Partial<QueuedRequest> = {}): QueuedRequest => ({
  id,
  instance: 'one',
  user,
  cost: 1_000,
  background: false,
  until: 60_000,
  ...more,
})

/** A call of instance `one` that has no effects yet. */
export const turnOf = (fields: Partial<BudgetState>, now: number, more: Partial<Turn> = {}): Turn => ({
  state: stateWith(fields),
  rules,
  op: SENDER,
  now,
  previousAt: now,
  granted: [],
  shared: [],
  notices: [],
  added: new KeyMap(),
  refused: [],
  covered: [],
  ranked: [],
  ...more,
})
