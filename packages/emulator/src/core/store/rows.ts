import type { Participant, Product, TokenErrorCode } from '@stagepass/contract'

/** Account and key holder of the built-in keys and credentials. */
export const MAIN_ACCOUNT = 'main'
export const MAIN_HOLDER = 'main'

/** Account and key holder of the built-in credential `other`. */
export const OTHER_ACCOUNT = 'other'
export const OTHER_HOLDER = 'other'

/** The customer: limits, billing and simultaneous sessions are counted here, over all keys and credentials of the account. */
export interface AccountRow {
  id: string
  /** `PAYMENT_PAST_DUE`, `BALANCE_EXHAUSTED` and `SPEND_CAP_REACHED` are answered only while this is on. */
  usageChecks: boolean
}

/**
 * The states in which an API key can be, and what the token endpoint answers to it. The first five codes say what is wrong with the key
 * itself; the rest say what is wrong with its team or account.
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
export type KeyState = keyof typeof KEY_STATES

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

export interface Transcript {
  language: string
  /** By the index that the segments name. */
  speakers: Record<string, { email: string | null; first_name: string | null; last_name: string | null }>
  /** `start` and `end` in seconds. */
  segments: { speaker: number; text: string; start: number; end: number }[]
}

export interface NoteBlock {
  type: string
  text?: string | undefined
  completed?: boolean | undefined
  assignee?: string | undefined
  due_date?: string | undefined
  children?: NoteBlock[] | undefined
}

export const VISIBILITIES = ['owned', 'shared', 'public-link', 'workspace'] as const

/** A meeting as it is stored. Dates are ISO 8601, `duration` is in seconds, `tags` are identifiers. */
export interface MeetingRow {
  id: string
  title: string | null
  started_at: string
  duration: number
  status: string
  source: string | null
  tags: string[]
  participants: Participant[]
  notes: { blocks: NoteBlock[] }
  transcript: Transcript
  created_at: string
  updated_at: string
  /** How the key holder reaches it; `public-link` and `workspace` ones are not in the list. */
  visibility: (typeof VISIBILITIES)[number]
  /** Absent from the list and 409 by id while true. */
  processing: boolean
  /** Whose list it belongs to. Default: the holder of the built-in credentials. */
  holder?: string | undefined
}

/** A note block given in part. */
export interface NoteBlockInput {
  /** Default `paragraph`. */
  type?: string | undefined
  text?: string | undefined
  completed?: boolean | undefined
  assignee?: string | undefined
  due_date?: string | undefined
  children?: readonly NoteBlockInput[] | undefined
}

/** A transcript given in part. */
export interface TranscriptInput {
  /** Default `en-US`. */
  language?: string | undefined
  /** Default none. A name that is left out is null. */
  speakers?: Readonly<Record<string, Partial<Transcript['speakers'][string]>>> | undefined
  /** Default none. A number that is left out is 0, a text is empty. */
  segments?: readonly Partial<Transcript['segments'][number]>[] | undefined
}

/** A meeting given in part: `id` alone is required. `undefined` means the default. */
export interface MeetingInput {
  id: string
  /** Default null. */
  title?: string | null | undefined
  /** ISO 8601, a date or a date-time with its offset. Default: `created_at` less the duration. */
  started_at?: string | undefined
  /** Seconds. Default 1800. */
  duration?: number | undefined
  /** Default `completed`; `processing` if `processing` is true. */
  status?: string | undefined
  /** Default null. */
  source?: string | null | undefined
  /** Default none. */
  tags?: readonly string[] | undefined
  /** Default none. A value that is left out is null. */
  participants?: readonly Participant[] | undefined
  /** Default: no blocks. */
  notes?: { blocks?: readonly NoteBlockInput[] | undefined } | undefined
  /** Default: empty. */
  transcript?: TranscriptInput | undefined
  /** Default: `started_at` and the duration if `started_at` is given, else the emulator's clock at that moment. */
  created_at?: string | undefined
  /** Default: `created_at`. */
  updated_at?: string | undefined
  /** Default `owned`. */
  visibility?: MeetingRow['visibility'] | undefined
  /** Default false. */
  processing?: boolean | undefined
  /** Default: the holder of the built-in credentials. */
  holder?: string | undefined
}
