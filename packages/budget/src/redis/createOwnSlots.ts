import type { Clock } from '../core/Clock.js'
import type { BudgetAction, BudgetReply, BudgetRules, CallBefore, OwnSlot } from '../core/protocol.js'
import { applyOp } from '../core/rules/applyOp.js'
import { createBudgetState } from '../core/rules/BudgetState.js'

/** No other instance calls, so nothing can be lost between two calls. */
const SENDER = {
  instance: 'here',
  epoch: '',
  seen: 0,
  newEpoch: 'own',
  silentMs: 0,
  sentAt: 0,
} as const

/** The slots that this instance holds, and the rules over them while the shared state cannot be reached. */
export function createOwnSlots(rules: BudgetRules, clock: Clock) {
  let state = createBudgetState('own', rules)
  /** Requests that have been asked for and have no slot yet. */
  const asked = new Map<string, Pick<OwnSlot, 'user' | 'call'>>()

  const apply = (actions: readonly BudgetAction[], by: BudgetRules, after: CallBefore): BudgetReply => {
    const applied = applyOp(state, by, { ...SENDER, after, actions }, clock.now())
    state = applied.state
    return applied.reply
  }

  return {
    /** Before a call to the shared state: its slots end, whether or not the call arrives. */
    note(actions: readonly BudgetAction[]): void {
      for (const action of actions) {
        if (action.type === 'ask') asked.set(action.id, action)
        if (action.type === 'leave') asked.delete(action.id)
      }
      const releases = actions.filter(({ type }) => type === 'release')
      // Only noted: a slot that is free here is given by `call`, under the rules of the share.
      if (releases.length > 0) apply(releases, rules, 'silence')
    },
    /** After it. */
    noteReply(reply: BudgetReply): void {
      const now = clock.now()
      for (const id of reply.granted) {
        const request = asked.get(id)
        asked.delete(id)
        if (request === undefined || state.slots.some((slot) => slot.id === id)) continue
        const { user, call } = request
        const shared = call === undefined ? {} : { call, instance: SENDER.instance }
        const freeAt = now + rules.timeoutMs + rules.windowMs
        state.slots.push({ id, user, ...shared, grantedAt: now, doneAt: -1, freeAt })
      }
      for (const id of reply.shared) asked.delete(id)
      for (const [id] of reply.covered) asked.delete(id)
      for (const { id } of reply.refused) asked.delete(id)
    },
    /** Slots that the upstream could still count at a time not long ago. */
    held: (at: number): number => state.slots.filter((slot) => slot.freeAt > at).length,
    /** The shared state is lost: no slot is granted before `frozenUntil`. */
    begin(frozenUntil: number): void {
      const { slots } = state
      state = { ...createBudgetState('own', rules), slots, frozenUntil }
    },
    /** A call without the shared state. */
    call(actions: readonly BudgetAction[], by: BudgetRules): BudgetReply {
      const reply = apply(actions, by, 'reply')
      for (const id of [...reply.granted, ...reply.shared]) asked.delete(id)
      // Times of this clock mean nothing to the store: for a request that is covered now, no slot of the
      // store was granted later.
      return { ...reply, at: Number.MAX_SAFE_INTEGER }
    },
    /** The shared state is back: no request waits here. */
    end(): void {
      state.waiters = []
      state.shared = []
    },
    report(): OwnSlot[] {
      const now = clock.now()
      return state.slots
        .filter((slot) => slot.freeAt > now)
        .map(({ id, user, call, grantedAt, doneAt, freeAt }) => ({
          id,
          user,
          call,
          grantedMsAgo: Math.floor(now - grantedAt),
          doneMsAgo: doneAt < 0 ? -1 : Math.floor(now - doneAt),
          freeMs: Math.ceil(freeAt - now),
        }))
    },
  }
}
