import { type BudgetState, STATE_VERSION } from './BudgetState.js'

/** `string?`: may be missing. */
type Kind = 'string' | 'string?' | 'number' | 'boolean'
/** Fields that a value must have, with their types. */
type Shape = Readonly<Record<string, Kind>>

const STATE: Shape = {
  version: 'number',
  epoch: 'string',
  cold: 'boolean',
  calls: 'number',
  lastAt: 'number',
  steppedAt: 'number',
  virtual: 'number',
  lowered: 'number',
  loweredAt: 'number',
  frozenUntil: 'number',
  limitedAt: 'number',
  limitedInRow: 'number',
  secondsSuspected: 'number',
  strict: 'boolean',
  foreignUse: 'number',
}
const SLOT: Shape = {
  id: 'string',
  user: 'string',
  grantedAt: 'number',
  doneAt: 'number',
  freeAt: 'number',
  call: 'string?',
  instance: 'string?',
}
const WAITER: Shape = {
  id: 'string',
  instance: 'string',
  user: 'string',
  call: 'string?',
  cost: 'number',
  background: 'boolean',
  until: 'number',
}
/** Beyond this a store that writes 14 digits does not keep a number. */
const LARGEST = 1e14

/** A state from outside, or `broken` if it is of another version or has another shape. */
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
  return { ...found, slots, waiters, shared, tags, dueAt, apart } as unknown as BudgetState
}

function isKind(value: unknown, kind: Kind): boolean {
  if (kind === 'string?') return value === undefined || typeof value === 'string'
  return typeof value === kind && (kind !== 'number' || isNumber(value))
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) < LARGEST
}

function fits(value: unknown, shape: Shape): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(shape).every(([name, kind]) => isKind(Reflect.get(value, name), kind))
}

/** Lua writes an empty list as an empty object. */
function listOf(value: unknown, shape: Shape): unknown[] | undefined {
  const list = isEmptyObject(value) ? [] : value
  return Array.isArray(list) && list.every((item) => fits(item, shape)) ? list : undefined
}

function numbersOf(value: unknown): Record<string, number> | undefined {
  if (typeof value !== 'object' || value === null || (Array.isArray(value) && value.length > 0))
    return undefined
  return Object.values(value).every(isNumber) ? { ...value } : undefined
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
