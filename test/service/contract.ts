/*
 * The tables of the contract, written a second time and from its text alone, so that a wrong row of
 * `@stagepass/contract` cannot prove itself.
 */

/** (Contract: "WebSocket endpoints", "Limits".) */
export const PRODUCTS = [
  { usage_type: 'stt', path: '/stt', maxMinutes: 300 },
  { usage_type: 'tts', path: '/tts', maxMinutes: 300 },
  { usage_type: 'viva', path: '/voice-isolation', maxMinutes: 300 },
  { usage_type: 'vt', path: '/vt', maxMinutes: 1_440 },
] as const

export type ServiceProduct = (typeof PRODUCTS)[number]

export const MIN_MINUTES = 5
export const DEFAULT_MINUTES = 180

const ALL = ['stt', 'tts', 'viva', 'vt'] as const

/** Refusals that depend on the key or its account. (Contract: "Token errors".) */
export const REFUSALS_OF_A_KEY = [
  { error_code: 'AUTH_API_KEY_EXPIRED', status: 401, products: ALL },
  { error_code: 'AUTH_NO_LICENSE', status: 401, products: ALL },
  { error_code: 'PRODUCT_NOT_ALLOWED', status: 403, products: ALL },
  { error_code: 'PAYMENT_PAST_DUE', status: 403, products: ALL },
  { error_code: 'BALANCE_EXHAUSTED', status: 403, products: ALL },
  { error_code: 'SPEND_CAP_REACHED', status: 403, products: ALL },
  { error_code: 'USAGE_LIMIT_EXCEEDED', status: 403, products: ['stt', 'tts', 'viva'] },
  { error_code: 'VT_USAGE_LIMIT_EXCEEDED', status: 403, products: ['vt'] },
  { error_code: 'CACHE_UNAVAILABLE', status: 502, products: ['stt'] },
] as const

/** (Contract: "Handshake errors".) The contract states no status for the last. */
export const HANDSHAKE_STATUS: Readonly<Record<string, number | undefined>> = {
  missing_authorization_header: 401,
  invalid_api_key: 401,
  unauthorized: 403,
  concurrency_limit_exceeded: undefined,
}

/** (Contract: "Meeting".) */
export const DEFAULT_FIELDS = ['title', 'started_at', 'duration', 'status', 'source', 'tags', 'ownership']
