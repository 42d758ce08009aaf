import { checkKeys, hasMethods, shown } from '../core/check.js'
import type { SlotRequest, SlotUser } from './Budget.js'

const FAILED = 'Failed to acquire a slot'
const KEYS = ['user', 'weight', 'priority', 'deadlineMs', 'signal'] satisfies (keyof SlotRequest)[]
const DEADLINE_MS = 10_000
const PRIORITIES: readonly unknown[] = [undefined, 'user', 'background']

/** A checked request. Its functions throw if a function of the caller throws, or returns an invalid value. */
interface CheckedRequest {
  /** The users who wait at present. */
  readonly users: () => readonly SlotUser[]
  /** The time that the caller has left. */
  readonly callersMs: () => number
  readonly signal: AbortSignal | undefined
}

/** Checks the argument of `acquire`, and adds the defaults. Throws a sentence with a remedy. */
export function readRequest(request: SlotRequest, now: () => number): CheckedRequest {
  checkKeys(FAILED, request, KEYS)
  const { user, weight, priority, deadlineMs = DEADLINE_MS, signal } = request
  if (signal !== undefined && !hasMethods(signal, 'addEventListener', 'removeEventListener'))
    throw new TypeError(`${FAILED}: signal is ${shown(signal)}. Give the signal of an AbortController.`)
  const single = typeof user === 'function' ? undefined : checkUsers([{ user, weight, priority }])
  const untilMs = typeof deadlineMs === 'function' ? 0 : now() + checkMs(deadlineMs)
  return {
    users: () => single ?? checkUsers(typeof user === 'function' ? user() : []),
    callersMs: () => (typeof deadlineMs === 'function' ? checkMs(deadlineMs()) : untilMs - now()),
    signal,
  }
}

function checkMs(ms: unknown): number {
  if (typeof ms === 'number' && !Number.isNaN(ms)) return ms
  throw new TypeError(
    `${FAILED}: deadlineMs is ${shown(ms)}. Give milliseconds from now as a number, or a function that returns them.`,
  )
}

function checkUsers(given: unknown): readonly SlotUser[] {
  if (typeof given !== 'object' || given === null || !(Symbol.iterator in given))
    throw new TypeError(`${FAILED}: the function user returned ${shown(given)}. Return a list of { user }.`)
  const users = [...(given as Iterable<SlotUser>)]
  for (const one of users) {
    const { user, weight = 1, priority }: SlotUser = one ?? {}
    if (typeof user !== 'string')
      throw new TypeError(
        `${FAILED}: user is ${shown(user)}. Give the id of the user as a string, or a function that returns a list of { user }.`,
      )
    if (typeof weight !== 'number' || !(weight >= 0.01 && weight <= 100))
      throw new RangeError(`${FAILED}: weight is ${shown(weight)}. Give a number from 0.01 to 100.`)
    if (!PRIORITIES.includes(priority))
      throw new TypeError(`${FAILED}: priority is ${shown(priority)}. Give 'user' or 'background'.`)
  }
  return users
}
