import { type BudgetState, STATE_VERSION } from './BudgetState.js'

/** Fields that a value must have, by type, and texts that it may have. */
interface Shape {
  readonly texts: readonly string[]
  readonly numbers: readonly string[]
  readonly flags: readonly string[]
  readonly optionalTexts: readonly string[]
}

const STATE: Shape = {
  texts: ['epoch'],
  numbers: [
    'version',
    'calls',
    'lastAt',
    'steppedAt',
    'virtual',
    'lowered',
    'loweredAt',
    'frozenUntil',
    'limitedAt',
    'limitedInRow',
    'secondsSuspected',
    'foreignUse',
  ],
  flags: ['cold', 'strict'],
  optionalTexts: [],
}
const SLOT: Shape = {
  texts: ['id', 'user'],
  numbers: ['grantedAt', 'doneAt', 'freeAt'],
  flags: [],
  optionalTexts: ['call', 'instance'],
}
const WAITER: Shape = {
  texts: ['id', 'instance', 'user'],
  numbers: ['cost', 'until'],
  flags: ['background'],
  optionalTexts: ['call'],
}
/** Beyond this a store that writes 14 digits does not keep a number. */
const LARGEST = 1e14

/**
 * A state from outside, or `broken` if it is of another version or has another shape. Fields that are not
 * known stay in it.
 */
export function readState(found: unknown): BudgetState | 'broken' {
  if (!fits(found, STATE) || found.version !== STATE_VERSION) return 'broken'
  const slots = listOf(found.slots, SLOT)
  const waiters = listOf(found.waiters, WAITER)
  const shared = listOf(found.shared, WAITER)
  const tags = numbersOf(found.tags)
  const dueAt = numbersOf(found.dueAt)
  const apart = numbersOf(found.apart)
  if (!slots || !waiters || !shared || !tags || !dueAt || !apart) return 'broken'
  // Each field has been looked at.
  return Object.assign(found, { slots, waiters, shared, tags, dueAt, apart }) as unknown as BudgetState
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && value > -LARGEST && value < LARGEST
}

function fits(value: unknown, shape: Shape): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const fields = value as Record<string, unknown>
  for (const name of shape.texts) if (typeof fields[name] !== 'string') return false
  for (const name of shape.numbers) if (!isNumber(fields[name])) return false
  for (const name of shape.flags) if (typeof fields[name] !== 'boolean') return false
  for (const name of shape.optionalTexts)
    if (fields[name] !== undefined && typeof fields[name] !== 'string') return false
  return true
}

/** Lua writes an empty list as an empty object. */
function listOf(value: unknown, shape: Shape): unknown[] | undefined {
  if (!Array.isArray(value)) return isEmptyObject(value) ? [] : undefined
  for (const item of value) if (!fits(item, shape)) return undefined
  return value
}

function numbersOf(value: unknown): Record<string, number> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) return value.length > 0 ? undefined : {}
  const numbers = value as Record<string, unknown>
  for (const name in numbers) if (!isNumber(numbers[name])) return undefined
  return numbers as Record<string, number>
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
