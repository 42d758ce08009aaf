import { type Product, PRODUCT_NAMES } from '@stagepass/contract'
import { AuthorizeError } from './AuthorizeError.js'
import { type Grant, GrantSchema, type MeetingsGrant, type UsageGrant } from './Grant.js'
import { check } from '../base/schema.js'
import type { Secret } from '../base/Secret.js'

/** Each key is set, also without a value. So none is inherited, and `readGrant` forgets none. */
type AllOf<TType> = { readonly [Key in keyof Required<TType>]: TType[Key] }

/** A checked grant with its defaults. */
export interface CheckedGrant extends AllOf<Omit<Grant, 'products' | 'usage' | 'meetings'>> {
  readonly products: readonly Product[]
  readonly usage: CheckedUsage | undefined
  readonly meetings: CheckedMeetings | undefined
}

/** The parts of the options that a grant depends on. */
interface GrantDefaults {
  readonly apiKey?: Secret | undefined
  readonly meetings: MeetingsDefaults
}

interface MeetingsDefaults {
  /** Every name that `fields` may contain. */
  readonly fieldNames: ReadonlySet<string>
}

export type CheckedMeetings = AllOf<MeetingsGrant>

/** Usage is counted. Contains the daily limit of each product that has one. */
export interface CheckedUsage {
  readonly limitMs: { readonly [Name in Product]?: number }
}

const MINUTE_MS = 60_000

/** Keys that a careless merge of objects can leave behind. They are ignored. */
const INERT_KEYS = ['__proto__', 'constructor', 'prototype']

/**
 * Checks the value that `authorize` returned. Throws an `AuthorizeError` with a remedy. The error contains no
 * value.
 */
export function readGrant(
  returned: unknown,
  { apiKey: commonKey, meetings: { fieldNames } }: GrantDefaults,
): CheckedGrant {
  const { data, problem } = check(GrantSchema, ownValues(returned))
  if (problem) {
    const { path, message } = problem
    throw new AuthorizeError(`The grant${path && `'s "${path}"`} ${message}`)
  }
  // The result of zod inherits what the host may have added to `Object.prototype`.
  const own = ownValues(data) as typeof data
  const { user, apiKey, account, products = PRODUCT_NAMES, maxTtlMinutes, sessionId, usage, meetings } = own
  if (apiKey !== undefined && account === undefined)
    throw new AuthorizeError(
      `The grant has "apiKey" but no "account". Return also the name of the account to which the key belongs, such as the customer's id: everyone in it shares the key.`,
    )
  if (apiKey === undefined && commonKey === undefined && products.length > 0)
    throw new AuthorizeError(
      'The grant has no "apiKey", and the BFF has none in its options. Return "apiKey" and "account" of the user\'s customer, or products: [] for a user without sessions.',
    )
  if (meetings?.fields?.some((name) => !fieldNames.has(name)))
    throw new AuthorizeError(
      `The grant's "meetings.fields" names an unknown field. Use ${[...fieldNames].join(', ')}, or add it to meetings.wire.extraFields.`,
    )
  return {
    user,
    account,
    apiKey,
    products,
    maxTtlMinutes,
    sessionId,
    usage: usage && { limitMs: limitsOf(usage) },
    meetings: meetings && {
      account: meetings.account,
      credential: meetings.credential,
      ownership: meetings.ownership,
      fields: meetings.fields,
      weight: meetings.weight,
    },
  }
}

/** Copies only own properties, at each of the three levels. Inherited values grant nothing. */
function ownValues(value: unknown, levels = 3): unknown {
  if (levels === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if (value instanceof Promise) return value
  const own = Object.create(null) as Record<string, unknown>
  for (const [key, part] of Object.entries(value))
    if (!INERT_KEYS.includes(key)) own[key] = ownValues(part, levels - 1)
  return own
}

function limitsOf({ minutesPerDay }: UsageGrant): CheckedUsage['limitMs'] {
  const limitMs = Object.create(null) as { [Name in Product]?: number }
  for (const product of PRODUCT_NAMES) {
    const limit = typeof minutesPerDay === 'number' ? minutesPerDay : minutesPerDay?.[product]
    if (limit !== undefined) limitMs[product] = limit * MINUTE_MS
  }
  return limitMs
}
