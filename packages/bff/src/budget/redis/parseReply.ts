import type { BudgetReply } from '../core/protocol.js'

/** The script's answer. Lua does not tell an empty list from an empty object, so lists are made lists again. */
export function parseReply(answer: unknown): BudgetReply {
  if (typeof answer !== 'string') throw new TypeError('The budget script gave no text.')
  // Our own script wrote it.
  const reply = JSON.parse(answer) as BudgetReply
  return {
    ...reply,
    granted: list(reply.granted),
    waiting: list(reply.waiting),
    frees: list(reply.frees),
    notices: list(reply.notices),
  }
}

function list<T>(value: readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : []
}
