import type { Participant, Product, TokenErrorCode } from '@stagepass/contract'

/** Account and key holder of the built-in keys and credentials. */
export const MAIN_ACCOUNT = 'main'
export const MAIN_HOLDER = 'main'

/** Account and key holder of the built-in credential `other`. */
export const OTHER_ACCOUNT = 'other'
export const OTHER_HOLDER = 'other'

/**
 * The customer: limits, billing and simultaneous sessions are counted here, over all keys and credentials of
 * the account.
 */
export interface AccountRow {
  id: string
  /** `PAYMENT_PAST_DUE`, `BALANCE_EXHAUSTED` and `SPEND_CAP_REACHED` are answered only while this is on. */
  usageChecks: boolean
}

/**
 * The states in which an API key can be, and what the token endpoint answers to it. The first five codes say
 * what is wrong with the key itself; the rest say what is wrong with its team or account.
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
  /** For the products in `products`; for all four if it is left out. */
  productNotAllowed: 'PRODUCT_NOT_ALLOWED',
  pastDue: 'PAYMENT_PAST_DUE',
  balanceExhausted: 'BALANCE_EXHAUSTED',
  spendCapReached: 'SPEND_CAP_REACHED',
  /** For `stt`, `tts` and `viva`, not for `vt`. */
  usageExceeded: 'USAGE_LIMIT_EXCEEDED',
  /** For `vt` alone. */
  vtUsageExceeded: 'VT_USAGE_LIMIT_EXCEEDED',
} as const satisfies Record<string, TokenErrorCode | null>
/** State of an API key. Each but `valid` leads to one code of the token endpoint. */
export type KeyState = keyof typeof KEY_STATES

/** An API key of an account, and its state. */
export interface ApiKeyRow {
  key: string
  /** `key_id` of the tokens made from it. */
  keyId: number
  account: string
  state: KeyState
  /** For `productNotAllowed`: the products that the team may not use. Default: all four. */
  products?: readonly Product[] | undefined
}

/** A bearer credential of the meetings interface: another secret than an API key. */
export interface CredentialRow {
  credential: string
  account: string
  /** The key holder, whose meetings it shows. */
  holder: string
  /** The list asks for `read`. */
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
  /** By the index that the segments name. Default none; a name that is left out is null. */
  speakers: Record<string, { email: string | null; first_name: string | null; last_name: string | null }>
  /** `start` and `end` in seconds. Default none; a number that is left out is 0, a text is empty. */
  segments: { speaker: number; text: string; start: number; end: number }[]
}

/** A block of a meeting's notes. A block can hold further blocks. */
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

/** A meeting as it is stored. The defaults are those of a row given in part. */
export interface MeetingRow {
  id: string
  /** Default null. */
  title: string | null
  /** ISO 8601, a date or a date-time with its offset. Default: `created_at` less the duration. */
  started_at: string
  /** Seconds. Default 1800. */
  duration: number
  /** Default `completed`; `processing` if `processing` is true. */
  status: string
  /** Default null. */
  source: string | null
  /** Identifiers. Default none. */
  tags: string[]
  /** Default none. A value that is left out is null. */
  participants: Participant[]
  /** Default: no blocks. */
  notes: { blocks: NoteBlock[] }
  transcript: Transcript
  /**
   * Default: `started_at` and the duration if `started_at` is given, else the emulator's clock at that
   * moment.
   */
  created_at: string
  /** Default: `created_at`. */
  updated_at: string
  /**
   * How the key holder reaches it; `public-link` and `workspace` ones are not in the list. Default `owned`.
   */
  visibility: (typeof VISIBILITIES)[number]
  /** Absent from the list and 409 by id while true. Default false. */
  processing: boolean
  /** Whose list it belongs to. Default: the holder of the built-in credentials. */
  holder?: string | undefined
}

/** A value given in part: what is left out or `undefined` gets its default. */
type Part<T> = T extends readonly (infer TItem)[]
  ? readonly Part<TItem>[]
  : T extends object
    ? { readonly [TKey in keyof T]?: Part<T[TKey]> | undefined }
    : T

/** A meeting given in part: `id` alone is required. `MeetingRow` has the defaults. */
export type MeetingInput = { id: string } & Part<Omit<MeetingRow, 'id'>>
