/** The facts of one product. (Contract: "WebSocket endpoints", "Limits".) */
export interface ProductFacts {
  /** The name to show to a person. */
  readonly name: string
  /** Path of the product's socket under `{streaming_url}`. */
  readonly path: `/${string}`
  /** The scope that a session token needs to open this socket. */
  readonly usage_type: string
  /** Bounds and default of `expiration_ttl`, in minutes. */
  readonly ttlMinutes: { readonly min: number; readonly max: number; readonly default: number }
}

/** Path of the token endpoint under `{base_url}`. (Contract: "Token endpoint".) */
export const TOKEN_PATH = '/v2/sdk/tokens/session'

/** Default lifetime of a token, in minutes. (Contract: "Limits".) */
export const DEFAULT_TTL_MINUTES = 180

const SHORT = { min: 5, max: 300, default: DEFAULT_TTL_MINUTES } as const
// Without a spread, because a bundler would keep that in every page.
const LONG = { min: 5, max: 1_440, default: DEFAULT_TTL_MINUTES } as const

/** The products in the order of their table. (Contract: "WebSocket endpoints".) */
export const PRODUCT_NAMES = ['stt', 'tts', 'viva', 'vt'] as const

/** One of `stt`, `tts`, `viva`, `vt`. */
export type Product = (typeof PRODUCT_NAMES)[number]

/**
 * The realtime products by their `usage_type`. The hooks, the BFF and the service all use this word. Pages
 * need only the names, so these are a list of their own; a row without a name does not compile, and no name
 * without a row. (Contract: "WebSocket endpoints", "Limits".)
 */
export const PRODUCTS = {
  stt: { name: 'Speech-to-Text', path: '/stt', usage_type: 'stt', ttlMinutes: SHORT },
  tts: { name: 'Text-to-Speech', path: '/tts', usage_type: 'tts', ttlMinutes: SHORT },
  viva: { name: 'Voice Isolation', path: '/voice-isolation', usage_type: 'viva', ttlMinutes: SHORT },
  vt: { name: 'Voice Translation', path: '/vt', usage_type: 'vt', ttlMinutes: LONG },
} as const satisfies Record<Product, ProductFacts>

/** True for the name of a product. Safe for any input, including `__proto__`. */
export function isProduct(value: unknown): value is Product {
  return PRODUCT_NAMES.includes(value as Product)
}
