import type { BudgetReply } from '../core/protocol.js'

/** The script's reply. Lua writes an empty list as an empty object, so lists are restored here. */
export function parseReply(answer: unknown): BudgetReply {
  // A host's client may be set to return bytes.
  const text = answer instanceof Uint8Array ? Buffer.from(answer).toString() : answer
  if (typeof text !== 'string') throw new TypeError('The budget script gave no text.')
  // Our own script wrote it.
  const reply = JSON.parse(text) as BudgetReply
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
