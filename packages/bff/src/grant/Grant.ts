import {
  MEETINGS_PARAMS,
  type OwnershipFilter,
  type Product,
  PRODUCT_NAMES,
  PRODUCTS,
  SESSION_ID_MAX_LENGTH,
} from '@stagepass/contract'
import { z } from 'zod'
import { byProduct } from '../base/byProduct.js'
import { accountName, objectOf, type ShapeOf, whole } from '../base/schema.js'
import { type Secret, secret } from '../base/Secret.js'
import { type StreamQuery, streamQuery } from '../base/streamQuery.js'

/** The rights of a signed-in user. `authorize` returns it. */
export interface Grant {
  /**
   * A stable id of the user, at most 512 characters. Limits and fairness are per id; users of two accounts
   * may have the same id, and then the page names its user `account:user`. It is never sent upstream.
   */
  readonly user: string
  /** The products that the user may use. Default: all. */
  readonly products?: readonly Product[] | undefined
  /**
   * Longest lifetime of a session token, in whole minutes, at least 5. If the browser requests more, it gets
   * this. Default: the product's limit.
   */
  readonly maxTtlMinutes?: number | undefined
  /** Sent as `metadata.session_id`, at most 255 characters. Default: the value from the browser. */
  readonly sessionId?: string | undefined
  /**
   * The API key of the user's own customer, if each customer has one. It needs `account`. A function is called
   * once a minute for each account, and again after the service refused its key. Default: the option `apiKey`.
   */
  readonly apiKey?: Secret | undefined
  /**
   * Name of the account to which `apiKey` belongs, such as the customer's id: up to 64 letters, digits and
   * `.:_-`. All users whose grants name it use its key. Events and log lines have it, and it is the default of
   * `meetings.account`. Default: the common account, which has the key of the options.
   */
  readonly account?: string | undefined
  /**
   * Counts the user's minutes, and limits them if it contains a number. Default: nothing is counted. The
   * limit relies on the reports of the page: a manipulated page can use more than it reports.
   */
  readonly usage?: UsageGrant | undefined
  /** The sessions of the user, with the option `sessions`. */
  readonly sessions?: SessionsGrant | undefined
  /**
   * Longest time of a session in whole minutes, with the option `sessions`: then the page closes it. A
   * manipulated page is stopped by the end of its token alone: see `maxTtlMinutes`. Default: no limit.
   */
  readonly maxSessionMinutes?: number | undefined
  /**
   * Parameters of the socket's address by product, such as `{ stt: { language: 'en' } }`, in addition to those
   * of the option `streamQuery`; of a name in both, this value. The page sees them. Default: none.
   */
  readonly streamQuery?: StreamQuery | undefined
  /**
   * Counts the minutes of all users of the account, and limits them together. Users of one account should have
   * the same limits here: each token is checked with those of its own grant. Default: not limited.
   */
  readonly accountUsage?: UsageGrant | undefined
  /** Allows meetings. Default: the meetings routes answer this user with 403. */
  readonly meetings?: MeetingsGrant | undefined
}

/**
 * The service's list shows all meetings of the *key holder*. So the grant contains the key, and the part of
 * the list that this user may see.
 */
export interface MeetingsGrant {
  /**
   * Name of the credential's account: up to 64 letters, digits and `.:_-`. Each account has its own limit,
   * pages and pauses. Default: `account` of the grant, then `meetings.account` of the options.
   */
  readonly account?: string | undefined
  /**
   * Bearer credential of the meetings interface. A function is called once a minute for each user of an
   * account, and again after the service refused its credential.
   */
  readonly credential: Secret
  /**
   * Forces the filter. With `mine` or `shared`, a request for `all` gets only these meetings, and a request
   * for the other value is refused. Default: the browser chooses.
   */
  readonly ownership?: OwnershipFilter | undefined
  /** The only fields, in addition to `id`, that this user may see. Default: all. */
  readonly fields?: readonly string[] | undefined
  /**
   * This user's share of the account's slots, compared with other waiting users: with 2 the user is served
   * twice as often. From 0.01 to 100, default 1.
   */
  readonly weight?: number | undefined
}

/** The minutes that a user, or all users of an account, may use. Days and months are those of UTC. */
export interface UsageGrant {
  /**
   * Whole minutes: one number for every product, or one by product, such as `{ stt: 60, vt: 20 }`. A product
   * without a number is counted but not limited. A token of a limited product is valid for at most 10
   * minutes, unless `maxTtlMinutes` is set.
   */
  readonly minutesPerDay?: number | { readonly [Name in Product]?: number | undefined } | undefined
  /** The same for a month. */
  readonly minutesPerMonth?: number | { readonly [Name in Product]?: number | undefined } | undefined
}

/** How a user shares the simultaneous sessions of an account with others. */
export interface SessionsGrant {
  /**
   * This user's share of the sessions, compared with other waiting users: with 2 the user gets a second session
   * before others do. From 0.01 to 100, default 1.
   */
  readonly weight?: number | undefined
  /**
   * Sessions that the service allows the grant's account to have open at once. All grants of an account must
   * have the same. Default: `sessions.max` of the options.
   */
  readonly max?: number | undefined
}

const MAX_USER_LENGTH = 512
const MAX_MINUTES = 1_000_000
const MIN_TTL = PRODUCTS.stt.ttlMinutes.min
const OWNERSHIP = MEETINGS_PARAMS.ownership.schema.enum

const NO_OBJECT = 'is not an object{seen}. Return an object, or null if the user has no access.'
const NO_USER = `is not a string of 1 to ${MAX_USER_LENGTH} characters{seen}. Return a stable id, such as String(user.id).`
const NO_PRODUCTS = `is not a list of products{seen}. Use ${PRODUCT_NAMES.join(', ')}.`
const NO_SESSION = `is not a string of at most ${SESSION_ID_MAX_LENGTH} characters{seen}.`
const NO_MINUTES = `is not a whole number of minutes from 0 to ${MAX_MINUTES}{seen}. Return a number, or a number for each product.`
const NO_FIELDS = 'is not a list of names of fields{seen}.'
const NO_USAGE = 'is not an object{seen}. Return { minutesPerDay: 60 }, or {} if minutes are only counted.'
const NO_MEETINGS =
  'is not an object{seen}. Return { credential } with the bearer credential of the meetings interface, or leave it out.'
const NO_SESSIONS = 'is not an object{seen}. Return { weight } or { max }, or leave it out.'
const NO_SESSION_MAX =
  'is not a whole number from 1 to 100000{seen}. Return the number of sessions that the service allows the account.'
const NO_SESSION_MINUTES = 'is not a whole number of minutes of at least 1{seen}.'
const NO_WEIGHT = 'is not a number from 0.01 to 100{seen}.'

const minutes = whole(NO_MINUTES, 0, MAX_MINUTES).optional()
const minutesByProduct = z.union([minutes, objectOf(byProduct(() => minutes))], NO_MINUTES).optional()

const UsageSchema = objectOf(
  {
    minutesPerDay: minutesByProduct.describe(
      'One number for every product, or one by product. Default: no limit.',
    ),
    minutesPerMonth: minutesByProduct.describe('The same for a month.'),
  } satisfies ShapeOf<UsageGrant>,
  NO_USAGE,
)

const weight = z.number(NO_WEIGHT).min(0.01, NO_WEIGHT).max(100, NO_WEIGHT).optional()

const SessionsSchema = objectOf(
  {
    weight: weight.describe(
      "The user's share of the account's sessions, compared with other waiting users. Default 1.",
    ),
    max: whole(NO_SESSION_MAX, 1, 100_000)
      .optional()
      .describe('Sessions that the account may have open at once. Default: that of the server.'),
  } satisfies ShapeOf<SessionsGrant>,
  NO_SESSIONS,
)

const MeetingsSchema = objectOf(
  {
    account: accountName
      .optional()
      .describe("Name of the credential's account, if it is not the common one."),
    credential: secret('Return the bearer credential, or a function that returns it.').describe(
      'Bearer credential of the meetings interface. Default: the credential of the server.',
    ),
    ownership: z
      .enum(OWNERSHIP, `is not one of ${OWNERSHIP.join(', ')}{seen}.`)
      .optional()
      .describe('Forces the filter. Default: the browser chooses.'),
    fields: z
      .array(z.string(NO_FIELDS), NO_FIELDS)
      .optional()
      .describe('The only fields, in addition to id, that the user may see. Default: all.'),
    weight: weight.describe(
      "The user's share of the account's slots, compared with other waiting users. Default 1.",
    ),
  } satisfies ShapeOf<MeetingsGrant>,
  NO_MEETINGS,
)

/** The schema of a grant. It checks the value that `authorize` returns, and is published as JSON Schema. */
export const GrantSchema = objectOf(
  {
    user: z
      .string(NO_USER)
      .min(1, NO_USER)
      .max(MAX_USER_LENGTH, NO_USER)
      .describe('A stable id of the user.'),
    products: z.array(z.enum(PRODUCT_NAMES, NO_PRODUCTS), NO_PRODUCTS).optional().describe('Default: all.'),
    maxTtlMinutes: whole(`is not a whole number of at least ${MIN_TTL} minutes{seen}.`, MIN_TTL)
      .optional()
      .describe('Longest lifetime of a session token, in minutes.'),
    sessionId: z
      .string(NO_SESSION)
      .max(SESSION_ID_MAX_LENGTH, NO_SESSION)
      .optional()
      .describe('Sent as metadata.session_id. Default: the value from the browser.'),
    apiKey: secret('Return the key of the customer, or a function that returns it.')
      .optional()
      .describe("A key of the user's own customer. It needs account. Default: the key of the server."),
    account: accountName.optional().describe('Name of the account to which the key belongs.'),
    usage: UsageSchema.optional().describe('Counts the minutes of the user. Default: they are not counted.'),
    sessions: SessionsSchema.optional().describe('The sessions of the user, if the server shares them.'),
    maxSessionMinutes: whole(NO_SESSION_MINUTES, 1)
      .optional()
      .describe('Longest time of a session, in minutes, if the server shares sessions. Default: no limit.'),
    streamQuery: streamQuery.optional().describe("Parameters of the socket's address, by product."),
    accountUsage: UsageSchema.optional().describe(
      'Limits the minutes of all users of the account together. Default: they are not limited.',
    ),
    meetings: MeetingsSchema.optional().describe('Without it the user sees no meetings.'),
  } satisfies ShapeOf<Grant>,
  NO_OBJECT,
)

/** Every key at any level of a grant. */
export const GRANT_KEYS: readonly string[] = [
  ...[GrantSchema, UsageSchema, SessionsSchema, MeetingsSchema].flatMap(({ shape }) => Object.keys(shape)),
  ...PRODUCT_NAMES,
]
