import type { BudgetReply } from '../core/protocol.js'

/** The script's reply. Lua writes an empty list as an empty object, so lists are restored here. */
export function parseReply(answer: unknown): BudgetReply {
  // A host's client may be set to return bytes.
  const text = answer instanceof Uint8Array ? new TextDecoder().decode(answer) : answer
  if (typeof text !== 'string') throw new TypeError('The budget script gave no text.')
  const reply = JSON.parse(text) as Record<string, unknown>
  for (const name of ['granted', 'shared', 'waiting', 'covered', 'refused', 'frees', 'notices'])
    if (!Array.isArray(reply[name])) reply[name] = []
  return reply as unknown as BudgetReply // our own script wrote it
}
