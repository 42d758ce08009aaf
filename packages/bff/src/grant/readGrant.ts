import { type Product, PRODUCT_NAMES } from '@stagepass/contract'
import { AuthorizeError } from './AuthorizeError.js'
import {
  type Grant,
  GRANT_KEYS,
  GrantSchema,
  type MeetingsGrant,
  type SessionsGrant,
  type UsageGrant,
} from './Grant.js'
import { check } from '../base/schema.js'
import type { Secret } from '../base/Secret.js'
import { hasSecret, SECRET_IN_QUERY } from '../base/streamQuery.js'

/** Each key is set, also without a value. So none is inherited, and `readGrant` forgets none. */
type AllOf<TType> = { readonly [Key in keyof Required<TType>]: TType[Key] }

/** A checked grant with its defaults. */
export interface CheckedGrant extends AllOf<
  Omit<Grant, 'products' | 'usage' | 'accountUsage' | 'sessions' | 'meetings'>
> {
  readonly products: readonly Product[]
  readonly usage: CheckedUsage | undefined
  readonly accountUsage: CheckedUsage | undefined
  readonly sessions: AllOf<SessionsGrant> | undefined
  readonly meetings: CheckedMeetings | undefined
}

/** The parts of the options that a grant depends on. */
interface GrantDefaults {
  readonly apiKey?: Secret | undefined
  readonly meetings: MeetingsDefaults
  readonly sessions?: object | undefined
  readonly redis?: object | undefined
  readonly userSecret?: string | undefined
}

interface MeetingsDefaults {
  /** Every name that `fields` may contain. */
  readonly fieldNames: ReadonlySet<string>
}

export type CheckedMeetings = AllOf<MeetingsGrant>

/** Usage is counted. Contains the limits of each product that has one. */
export interface CheckedUsage {
  readonly dayMs: ByProduct
  readonly monthMs: ByProduct
}

type ByProduct = { readonly [Name in Product]?: number }

const MINUTE_MS = 60_000

/** Keys that a careless merge of objects can leave behind. They are ignored. */
const INERT_KEYS: readonly unknown[] = ['__proto__', 'constructor', 'prototype']

/**
 * Checks the value that `authorize` returned. Throws an `AuthorizeError` with a remedy. The error contains no
 * value.
 */
export function readGrant(
  returned: unknown,
  { apiKey: commonKey, meetings: { fieldNames }, sessions: shared, redis, userSecret }: GrantDefaults,
): CheckedGrant {
  const { data, problem } = check(GrantSchema, plainData(returned))
  if (problem) {
    const { path, message } = problem
    throw new AuthorizeError(`The grant${path && `'s "${path}"`} ${message}`)
  }
  // The result of zod inherits what the host may have added to `Object.prototype`.
  const own = plainData(data) as typeof data
  const {
    user,
    apiKey,
    account,
    products = PRODUCT_NAMES,
    maxTtlMinutes,
    sessionId,
    usage,
    accountUsage,
    meetings,
  } = own
  const { sessions, maxSessionMinutes } = own
  const unshared = sessions ? 'sessions' : maxSessionMinutes === undefined ? undefined : 'maxSessionMinutes'
  if (unshared !== undefined && !shared)
    throw new AuthorizeError(
      `The grant has "${unshared}", and the BFF does not share sessions. Set its option "sessions": {} if the number is not known.`,
    )
  const { streamQuery } = own
  if (apiKey !== undefined && account === undefined)
    throw new AuthorizeError(
      `The grant has "apiKey" but no "account". Return also the name of the account to which the key belongs, such as the customer's id: everyone in it shares the key.`,
    )
  if (apiKey === undefined && commonKey === undefined && products.length > 0)
    throw new AuthorizeError(
      'The grant has no "apiKey", and the BFF has none in its options. Return "apiKey" and "account" of the user\'s customer, or products: [] for a user without sessions.',
    )
  if (hasSecret(streamQuery, [commonKey, apiKey, meetings?.credential]))
    throw new AuthorizeError(`The grant's "streamQuery" ${SECRET_IN_QUERY}`)
  if (meetings?.fields?.some((name) => !fieldNames.has(name)))
    throw new AuthorizeError(
      `The grant's "meetings.fields" names an unknown field. Use ${[...fieldNames].join(', ')}, or add it to meetings.wire.extraFields.`,
    )
  if ((usage ?? accountUsage) && redis && userSecret === undefined)
    throw new AuthorizeError(
      'The grant has "usage" or "accountUsage". With "redis" this needs a secret that all instances share, because each must be able to read the receipts of the others. Set "userSecret" to a random text, such as the output of: openssl rand -base64 32.',
    )
  return {
    user,
    account,
    apiKey,
    products,
    maxTtlMinutes,
    sessionId,
    streamQuery,
    usage: usage && checkedUsage(usage),
    accountUsage: accountUsage && checkedUsage(accountUsage),
    sessions: sessions && { weight: sessions.weight, max: sessions.max },
    maxSessionMinutes,
    meetings: meetings && {
      account: meetings.account,
      credential: meetings.credential,
      ownership: meetings.ownership,
      fields: meetings.fields,
      weight: meetings.weight,
    },
  }
}

/** Levels of a grant: `usage.minutesPerDay.stt`. */
const LEVELS = 3

/**
 * Copies plain data. A missing limit means more rights, so an object whose limits the copy could miss is
 * refused: one with accessors or hidden keys, one that inherits from a class or from other defaults, or a
 * proxy that shows a key without having it. The copy inherits nothing.
 */
function plainData(value: unknown, path: readonly string[] = []): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Promise) return value
  if (path.length === LEVELS) return value
  const isList = Array.isArray(value)
  const prototype = Object.getPrototypeOf(value) as object | null
  if (!isList && !isPlainPrototype(prototype))
    throw notPlain(path, 'inherits from a class or from another object')
  const copy = isList ? [] : (Object.create(null) as object)
  for (const key of Reflect.ownKeys(value)) {
    if (isList ? key === 'length' : INERT_KEYS.includes(key)) continue
    const found = Object.getOwnPropertyDescriptor(value, key)
    const name = [...path, String(key)]
    if (found && !('value' in found)) throw notPlain(name, 'is an accessor')
    if (!found?.enumerable || typeof key === 'symbol') throw notPlain(name, 'is hidden')
    // Not `found.value`: everyone else reads what a proxy shows.
    Reflect.set(copy, key, plainData(Reflect.get(value, key), name))
  }
  const inherited = prototype ?? (Object.create(null) as object)
  for (const key of isList ? [] : GRANT_KEYS)
    // A host may have added it to `Object.prototype`, which grants and limits nothing.
    if (!Object.hasOwn(copy, key) && Reflect.get(value, key) !== Reflect.get(inherited, key))
      throw notPlain([...path, key], 'is shown by a proxy, and is no key of the object')
  return copy
}

/** Also that of another realm, such as the context of a test runner. */
const isPlainPrototype = (prototype: unknown): boolean =>
  prototype === null ||
  (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'isPrototypeOf'))

const notPlain = (path: readonly string[], fault: string): AuthorizeError =>
  new AuthorizeError(
    `The grant${path.length > 0 ? `'s "${path.join('.')}"` : ''} ${fault}. Return plain data with each key written out, such as { user: user.id, products: user.products }.`,
  )

const checkedUsage = ({ minutesPerDay, minutesPerMonth }: UsageGrant): CheckedUsage => ({
  dayMs: limitsOf(minutesPerDay),
  monthMs: limitsOf(minutesPerMonth),
})

function limitsOf(minutes: UsageGrant['minutesPerDay']): ByProduct {
  const limitMs = Object.create(null) as { [Name in Product]?: number }
  for (const product of PRODUCT_NAMES) {
    const limit = typeof minutes === 'number' ? minutes : minutes?.[product]
    if (limit !== undefined) limitMs[product] = limit * MINUTE_MS
  }
  return limitMs
}
