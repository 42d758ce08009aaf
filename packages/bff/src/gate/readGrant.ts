import {
  isProduct,
  OWNERSHIP_FILTERS,
  type OwnershipFilter,
  type Product,
  PRODUCT_NAMES,
  PRODUCTS,
  SESSION_ID_MAX_LENGTH,
} from '@stagepass/contract'
import { MAX_USER_LENGTH, type MeetingsGrant, WEIGHTS } from '../settings/Grant.js'
import { type Secret, secretProblem } from '../settings/Secret.js'

/** A checked grant with its defaults. */
export interface CheckedGrant {
  readonly user: string
  readonly products: readonly Product[]
  readonly maxTtlMinutes: number | undefined
  readonly sessionId: string | undefined
  readonly meetings: MeetingsGrant | undefined
}

/** A mistake in the host's `authorize`. The message says what to change, and holds no value of the grant. */
export class GrantError extends Error {
  override readonly name = 'GrantError'
}

const MIN_TTL = PRODUCTS.stt.ttlMinutes.min

const GRANT_KEYS = ['user', 'products', 'maxTtlMinutes', 'sessionId', 'meetings']
const MEETINGS_KEYS = ['credential', 'ownership', 'fields', 'weight']

/** Keys that careless merging of objects can leave. They are ignored. */
const INERT_KEYS = ['__proto__', 'constructor', 'prototype']

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
 * Reads the value that `authorize` returned. `fieldNames`: the fields of the meetings interface. Throws a
 * `GrantError`.
 */
export function readGrant(returned: unknown, fieldNames: ReadonlySet<string>): CheckedGrant {
  const { user, products, maxTtlMinutes, sessionId, meetings } = ownValues(returned, 'The grant', GRANT_KEYS)

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
    meetings: meetings === undefined ? undefined : readMeetingsGrant(meetings, fieldNames),
  }
}

function readMeetingsGrant(granted: unknown, fieldNames: ReadonlySet<string>): MeetingsGrant {
  const { credential, ownership, fields, weight } = ownValues(
    granted,
    'The grant\'s "meetings"',
    MEETINGS_KEYS,
  )

  if (typeof credential !== 'function') {
    const fault = secretProblem(credential)
    check(
      fault === undefined,
      `The grant's "meetings.credential" cannot be used: ${fault}. Return the bearer credential, or a function that gives it.`,
    )
  }
  check(
    ownership === undefined || OWNERSHIP_FILTERS.includes(ownership as OwnershipFilter),
    `The grant's "meetings.ownership" is not one of ${OWNERSHIP_FILTERS.join(', ')}.`,
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
    credential: credential as Secret,
    ownership: ownership as OwnershipFilter | undefined,
    fields: fields as string[] | undefined,
    weight,
  }
}
