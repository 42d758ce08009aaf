import {
  MEETINGS_PARAMS,
  type OwnershipFilter,
  type Product,
  PRODUCT_NAMES,
  PRODUCTS,
  SESSION_ID_MAX_LENGTH,
} from '@stagepass/contract'
import { z } from 'zod'
import { accountName, objectOf, type ShapeOf, whole } from './schema.js'
import { type Secret, secret } from './Secret.js'

/** What a signed-in user may do here. `authorize` returns it. */
export interface Grant {
  /**
   * A stable id of the user, at most 512 characters: the key of limits and of fairness. It is never sent
   * upstream.
   */
  readonly user: string
  /** Default: all four. */
  readonly products?: readonly Product[] | undefined
  /**
   * Longest life of a session token, in whole minutes from 5 on. What the browser asks for is cut to it.
   * Default: the product's own.
   */
  readonly maxTtlMinutes?: number | undefined
  /** Sent as `metadata.session_id`, at most 255 characters. Default: what the browser sends. */
  readonly sessionId?: string | undefined
  /**
   * Counts the user's minutes, and limits them if it names a number. Default: nothing is counted. The limit
   * is as good as the reports of the page: a page can use more than it reports.
   */
  readonly usage?: UsageGrant | undefined
  /** Default: the meetings routes answer 403 to this user. */
  readonly meetings?: MeetingsGrant | undefined
}

/**
 * The list shows what the *key holder* may see, so the grant holds the key and the part of its view that is
 * this user's.
 */
export interface MeetingsGrant {
  /**
   * Name of the account that the credential belongs to, if it is not the common one: up to 64 letters, digits
   * and `.:_-`. Each account has its own limit, pages and pauses. Default: `meetings.account` of the options.
   */
  readonly account?: string | undefined
  /** Bearer credential of the meetings interface. */
  readonly credential: Secret
  /**
   * Forces the filter: `mine` or `shared` narrow `all`, and the other one is refused. Default: the browser
   * chooses.
   */
  readonly ownership?: OwnershipFilter | undefined
  /** The only fields beside `id` that this user may see. Default: all. */
  readonly fields?: readonly string[] | undefined
  /**
   * This user's share of the account's slots beside others that wait: with 2 it is served twice as often.
   * From 0.01 to 100, default 1.
   */
  readonly weight?: number | undefined
}

/** The minutes that a user may have in a day. */
export interface UsageGrant {
  /**
   * Whole minutes, for each product, or by product: `{ stt: 60, vt: 20 }`. A product without a number is
   * counted and has no limit. A token of a limited product lives at most 10 minutes, unless `maxTtlMinutes`
   * says otherwise.
   */
  readonly minutesPerDay?: number | { readonly [Name in Product]?: number | undefined } | undefined
}

const MAX_USER_LENGTH = 512
const MAX_MINUTES_PER_DAY = 1_000_000
const MIN_TTL = PRODUCTS.stt.ttlMinutes.min
const OWNERSHIP = MEETINGS_PARAMS.ownership.schema.enum

const NO_OBJECT = 'is not an object. Return an object, or null if the user has no access.'
const NO_USER = `is not a string of 1 to ${MAX_USER_LENGTH} characters. Return a stable id, such as String(user.id).`
const NO_PRODUCTS = `is not a list of products. Use ${PRODUCT_NAMES.join(', ')}.`
const NO_SESSION = `is not a string of at most ${SESSION_ID_MAX_LENGTH} characters.`
const NO_MINUTES = `is not a whole number of minutes from 0 to ${MAX_MINUTES_PER_DAY}. Return one, or one for each product.`
const NO_FIELDS = 'is not a list of names of fields.'
const NO_WEIGHT = 'is not a number from 0.01 to 100.'

const minutes = whole(NO_MINUTES, 0, MAX_MINUTES_PER_DAY).optional()

const UsageSchema = objectOf({
  minutesPerDay: z
    .union([minutes, objectOf({ stt: minutes, tts: minutes, viva: minutes, vt: minutes })], NO_MINUTES)
    .optional()
    .describe('For each product, or by product. Default: no limit.'),
} satisfies ShapeOf<UsageGrant>)

const MeetingsSchema = objectOf({
  account: accountName
    .optional()
    .describe('Name of the account of the credential, if it is not the common one.'),
  credential: secret('Return the bearer credential, or a function that gives it.').describe(
    'Bearer credential of the meetings interface. Default: the one of the server.',
  ),
  ownership: z
    .enum(OWNERSHIP, `is not one of ${OWNERSHIP.join(', ')}.`)
    .optional()
    .describe('Forces the filter. Default: the browser chooses.'),
  fields: z
    .array(z.string(NO_FIELDS), NO_FIELDS)
    .optional()
    .describe('The only fields beside id that the user may see. Default: all.'),
  weight: z
    .number(NO_WEIGHT)
    .min(0.01, NO_WEIGHT)
    .max(100, NO_WEIGHT)
    .optional()
    .describe("The user's share of the account's slots beside others that wait. Default 1."),
} satisfies ShapeOf<MeetingsGrant>)

/** What `authorize` may return: the check, and the published JSON Schema. */
export const GrantSchema = objectOf(
  {
    user: z
      .string(NO_USER)
      .min(1, NO_USER)
      .max(MAX_USER_LENGTH, NO_USER)
      .describe('A stable id of the user.'),
    products: z.array(z.enum(PRODUCT_NAMES, NO_PRODUCTS), NO_PRODUCTS).optional().describe('Default: all.'),
    maxTtlMinutes: whole(`is not a whole number of minutes from ${MIN_TTL} on.`, MIN_TTL)
      .optional()
      .describe('Longest life of a session token.'),
    sessionId: z
      .string(NO_SESSION)
      .max(SESSION_ID_MAX_LENGTH, NO_SESSION)
      .optional()
      .describe('Sent as metadata.session_id. Default: what the browser sends.'),
    usage: UsageSchema.optional().describe('Counts the minutes of the user. Default: they are not counted.'),
    meetings: MeetingsSchema.optional().describe('Without it the user sees no meetings.'),
  } satisfies ShapeOf<Grant>,
  NO_OBJECT,
)
