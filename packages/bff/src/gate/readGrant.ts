import {
  isProduct,
  MEETINGS_PARAMS,
  type OwnershipFilter,
  type Product,
  PRODUCT_NAMES,
  PRODUCTS,
  SESSION_ID_MAX_LENGTH,
} from '@stagepass/contract'
import { MAX_MINUTES_PER_DAY, MAX_USER_LENGTH, type MeetingsGrant, WEIGHTS } from '../settings/Grant.js'
import type { Settings } from '../settings/readOptions.js'
import { ACCOUNT_NAME } from '../settings/refuse.js'
import { type Secret, secretProblem } from '../settings/Secret.js'

const OWNERSHIP: readonly unknown[] = MEETINGS_PARAMS.ownership.schema.enum

/** A checked grant with its defaults. */
export interface CheckedGrant {
  readonly user: string
  readonly products: readonly Product[]
  readonly maxTtlMinutes: number | undefined
  readonly sessionId: string | undefined
  readonly usage: CheckedUsage | undefined
  readonly meetings: CheckedMeetings | undefined
}

export interface CheckedMeetings extends MeetingsGrant {
  readonly account: string
}

/** What is counted, and the limit of a day for each product that has one. */
export interface CheckedUsage {
  readonly limitMs: { readonly [Name in Product]?: number }
}

/** A mistake in the host's `authorize`. The message says what to change, and holds no value of the grant. */
export class GrantError extends Error {
  override readonly name = 'GrantError'
}

const MIN_TTL = PRODUCTS.stt.ttlMinutes.min

const GRANT_KEYS = ['user', 'products', 'maxTtlMinutes', 'sessionId', 'usage', 'meetings']
const USAGE_KEYS = ['minutesPerDay']
const MINUTE_MS = 60_000
const MEETINGS_KEYS = ['account', 'credential', 'ownership', 'fields', 'weight']

/** Keys that careless merging of objects can leave. They are ignored. */
const INERT_KEYS = ['__proto__', 'constructor', 'prototype']

/** The settings that a grant is checked against. */
type MeetingsSettings = Pick<Settings['meetings'], 'account' | 'fieldNames'>

type Values = Record<string, unknown>

/** Copies own properties into an object without prototype, so that inherited values grant nothing. */
function ownValues(object: unknown, what: string, known: readonly string[]): Values {
  if (typeof object !== 'object' || object === null || Array.isArray(object))
    throw new GrantError(`${what} is not an object. Return an object, or null if the user has no access.`)
  const values = Object.create(null) as Values // a bare object has no better type
  for (const key of Object.keys(object)) {
    if (INERT_KEYS.includes(key)) continue
    // A misspelt limit would have no effect.
    if (!known.includes(key))
      throw new GrantError(`${what} has an unknown key. Use only: ${known.join(', ')}.`)
    values[key] = (object as Values)[key]
  }
  return values
}

function check(fine: boolean, sentence: string): asserts fine {
  if (!fine) throw new GrantError(sentence)
}

const isText = (value: unknown, maxLength: number): value is string =>
  typeof value === 'string' && value.length <= maxLength

/**
 * Reads the value that `authorize` returned. `common`: the fields of the meetings interface, and its
 * common account. Throws a `GrantError`.
 */
export function readGrant(returned: unknown, common: MeetingsSettings): CheckedGrant {
  const { user, products, maxTtlMinutes, sessionId, usage, meetings } = ownValues(
    returned,
    'The grant',
    GRANT_KEYS,
  )

  check(
    isText(user, MAX_USER_LENGTH) && user !== '',
    `The grant's "user" is not a string of 1 to ${MAX_USER_LENGTH} characters. Return a stable id, such as String(user.id).`,
  )
  check(
    products === undefined || (Array.isArray(products) && products.every(isProduct)),
    `The grant's "products" is not a list of products. Use ${PRODUCT_NAMES.join(', ')}.`,
  )
  check(
    maxTtlMinutes === undefined ||
      (typeof maxTtlMinutes === 'number' && Number.isInteger(maxTtlMinutes) && maxTtlMinutes >= MIN_TTL),
    `The grant's "maxTtlMinutes" is not a whole number of minutes from ${MIN_TTL} on.`,
  )
  check(
    sessionId === undefined || isText(sessionId, SESSION_ID_MAX_LENGTH),
    `The grant's "sessionId" is not a string of at most ${SESSION_ID_MAX_LENGTH} characters.`,
  )
  return {
    user,
    products: products ?? PRODUCT_NAMES,
    maxTtlMinutes,
    sessionId,
    usage: usage === undefined ? undefined : readUsageGrant(usage),
    meetings: meetings === undefined ? undefined : readMeetingsGrant(meetings, common),
  }
}

function readUsageGrant(granted: unknown): CheckedUsage {
  const { minutesPerDay } = ownValues(granted, 'The grant\'s "usage"', USAGE_KEYS)
  if (minutesPerDay === undefined) return { limitMs: {} }
  if (typeof minutesPerDay !== 'object') {
    const ms = readMinutes(minutesPerDay)
    return { limitMs: { stt: ms, tts: ms, viva: ms, vt: ms } }
  }
  const byProduct = ownValues(minutesPerDay, 'The grant\'s "usage.minutesPerDay"', PRODUCT_NAMES)
  const limitMs: { [Name in Product]?: number } = {}
  for (const product of PRODUCT_NAMES)
    if (byProduct[product] !== undefined) limitMs[product] = readMinutes(byProduct[product])
  return { limitMs }
}

function readMinutes(minutes: unknown): number {
  check(
    typeof minutes === 'number' &&
      Number.isInteger(minutes) &&
      minutes >= 0 &&
      minutes <= MAX_MINUTES_PER_DAY,
    `The grant's "usage.minutesPerDay" is not a whole number of minutes from 0 to ${MAX_MINUTES_PER_DAY}. Return one, or one for each product.`,
  )
  return minutes * MINUTE_MS
}

function readMeetingsGrant(granted: unknown, { fieldNames, ...common }: MeetingsSettings): CheckedMeetings {
  const {
    account = common.account,
    credential,
    ownership,
    fields,
    weight,
  } = ownValues(granted, 'The grant\'s "meetings"', MEETINGS_KEYS)

  check(
    typeof account === 'string' && ACCOUNT_NAME.test(account),
    'The grant\'s "meetings.account" is not a short name. Use letters, digits and . : _ -',
  )
  if (typeof credential !== 'function') {
    const fault = secretProblem(credential)
    check(
      fault === undefined,
      `The grant's "meetings.credential" cannot be used: ${fault}. Return the bearer credential, or a function that gives it.`,
    )
  }
  check(
    ownership === undefined || OWNERSHIP.includes(ownership),
    `The grant's "meetings.ownership" is not one of ${OWNERSHIP.join(', ')}.`,
  )
  check(
    fields === undefined || (Array.isArray(fields) && fields.every((name) => fieldNames.has(name))),
    `The grant's "meetings.fields" names an unknown field. Use ${[...fieldNames].join(', ')}, or add it to meetings.wire.extraFields.`,
  )
  check(
    weight === undefined || (typeof weight === 'number' && weight >= WEIGHTS.min && weight <= WEIGHTS.max),
    `The grant's "meetings.weight" is not a number from ${WEIGHTS.min} to ${WEIGHTS.max}.`,
  )
  // The checks above have verified these types.
  return {
    account,
    credential: credential as Secret,
    ownership: ownership as OwnershipFilter | undefined,
    fields: fields as string[] | undefined,
    weight,
  }
}
