import type { OwnershipFilter, Product } from '@stagepass/contract'
import type { Secret } from './Secret.js'

/** Longest `user` of a grant. */
export const MAX_USER_LENGTH = 512

/** Bounds of `meetings.weight`. */
export const WEIGHTS = { min: 0.01, max: 100 } as const

/** Most minutes that a grant can name. */
export const MAX_MINUTES_PER_DAY = 1_000_000

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
