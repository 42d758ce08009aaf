import type { Participant, Product, TokenErrorCode } from '@stagepass/contract'

/** Account and key holder of the built-in keys and credentials. */
export const MAIN_ACCOUNT = 'main'
export const MAIN_HOLDER = 'main'

/** Account and key holder of the built-in credential `other`. */
export const OTHER_ACCOUNT = 'other'
export const OTHER_HOLDER = 'other'

/**
 * A customer. Limits, billing and simultaneous sessions are counted per account, over all of its keys and
 * credentials.
 */
export interface AccountRow {
  id: string
  /**
   * The service sends `PAYMENT_PAST_DUE`, `BALANCE_EXHAUSTED` and `SPEND_CAP_REACHED` only if this is true.
   */
  usageChecks: boolean
}

/**
 * The states of an API key, each with the error code of the token endpoint. The first codes are about the key
 * itself, and the others about its team or account.
 */
export const KEY_STATES = {
  valid: null,
  invalid: 'AUTH_API_KEY_INVALID',
  paused: 'AUTH_API_KEY_INVALID',
  suspended: 'AUTH_API_KEY_INVALID',
  /** Not attached to a team. */
  teamless: 'AUTH_API_KEY_INVALID',
  expired: 'AUTH_API_KEY_EXPIRED',
  unlicensed: 'AUTH_NO_LICENSE',
  /** For the products in `products`. Default: all. */
  productNotAllowed: 'PRODUCT_NOT_ALLOWED',
  pastDue: 'PAYMENT_PAST_DUE',
  balanceExhausted: 'BALANCE_EXHAUSTED',
  spendCapReached: 'SPEND_CAP_REACHED',
  /** For `stt`, `tts` and `viva`, not for `vt`. */
  usageExceeded: 'USAGE_LIMIT_EXCEEDED',
  /** Only for `vt`. */
  vtUsageExceeded: 'VT_USAGE_LIMIT_EXCEEDED',
} as const satisfies Record<string, TokenErrorCode | null>
/** State of an API key. Each state except `valid` causes one error code of the token endpoint. */
export type KeyState = keyof typeof KEY_STATES

/** An API key of an account, and its state. */
export interface ApiKeyRow {
  key: string
  /** `key_id` of the tokens made from it. */
  keyId: number
  account: string
  state: KeyState
  /** For `productNotAllowed`: the products that the team may not use. Default: all. */
  products?: readonly Product[] | undefined
}

/** A bearer credential of the meetings interface. It is not an API key. */
export interface CredentialRow {
  credential: string
  account: string
  /** The key holder, whose meetings the list shows. */
  holder: string
  /** The list requires `read`. */
  scopes: readonly string[]
}

/** A session token that was issued. Times are in milliseconds of the emulator's clock. */
export interface SessionTokenRow {
  sessionKey: string
  product: Product
  keyId: number
  account: string
  status: string
  issuedAtMs: number
  expiresAtMs: number
  /** `metadata.session_id` of the request. */
  sessionId?: string | undefined
}

/** A meeting's transcript. The list never searches it. */
export interface Transcript {
  /** Default `en-US`. */
  language: string
  /** Speakers by the index in the segments. Default none. A missing name is null. */
  speakers: Record<string, { email: string | null; first_name: string | null; last_name: string | null }>
  /** `start` and `end` are in seconds. Default none. A missing number is 0, and a missing text is empty. */
  segments: { speaker: number; text: string; start: number; end: number }[]
}

/** A block of a meeting's notes. A block can contain other blocks. */
export interface NoteBlock {
  /** Default `paragraph`. */
  type: string
  text?: string | undefined
  completed?: boolean | undefined
  assignee?: string | undefined
  due_date?: string | undefined
  children?: NoteBlock[] | undefined
}

export const VISIBILITIES = ['owned', 'shared', 'public-link', 'workspace'] as const

/** A stored meeting. The defaults are for fields that are missing in a partial row. */
export interface MeetingRow {
  id: string
  /** Default null. */
  title: string | null
  /** ISO 8601: a date, or a date-time with an offset. Default: `created_at` minus the duration. */
  started_at: string
  /** Seconds. Default 1800. */
  duration: number
  /** Default `completed`; `processing` if `processing` is true. */
  status: string
  /** Default null. */
  source: string | null
  /** Identifiers. Default none. */
  tags: string[]
  /** Default none. A missing value is null. */
  participants: Participant[]
  /** Default: no blocks. */
  notes: { blocks: NoteBlock[] }
  transcript: Transcript
  /**
   * Default: `started_at` plus the duration if `started_at` is given, otherwise the current time of the
   * emulator.
   */
  created_at: string
  /** Default: `created_at`. */
  updated_at: string
  /**
   * How the key holder has access. Meetings with `public-link` and `workspace` are not in the list. Default
   * `owned`.
   */
  visibility: (typeof VISIBILITIES)[number]
  /** While true, the meeting is not in the list, and a request by id gets 409. Default false. */
  processing: boolean
  /** The key holder whose list contains it. Default: the holder of the built-in credentials. */
  holder?: string | undefined
}

/** A partial value: a field that is missing or `undefined` gets its default. */
type Part<T> = T extends readonly (infer TItem)[]
  ? readonly Part<TItem>[]
  : T extends object
    ? { readonly [TKey in keyof T]?: Part<T[TKey]> | undefined }
    : T

/** A partial meeting: only `id` is required. `MeetingRow` has the defaults. */
export type MeetingInput = { id: string } & Part<Omit<MeetingRow, 'id'>>
