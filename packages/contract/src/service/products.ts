/** The facts of one product. (Contract: "WebSocket endpoints", "Limits".) */
export interface ProductFacts {
  /** The name a person reads. */
  readonly name: string
  /** Path of the product's socket under `{streaming_url}`. */
  readonly path: `/${string}`
  /** The scope a session token must carry to open that socket. */
  readonly usage_type: string
  /** Bounds and default of `expiration_ttl`, in minutes. */
  readonly ttlMinutes: { readonly min: number; readonly max: number; readonly default: number }
}

/** Path of the token endpoint under `{base_url}`. (Contract: "Token endpoint".) */
export const TOKEN_PATH = '/v2/sdk/tokens/session'

/** Life of a token if none was asked for, in minutes. (Contract: "Limits".) */
export const DEFAULT_TTL_MINUTES = 180

const TTL_MINUTES = { min: 5, max: 300, default: DEFAULT_TTL_MINUTES } as const

/**
 * The four realtime products, keyed by `usage_type`: the word that a developer passes to the hooks, the
 * browser sends to the BFF and the BFF sends upstream. (Contract: "WebSocket endpoints", "Limits".)
 */
export const PRODUCTS = {
  stt: { name: 'Speech-to-Text', path: '/stt', usage_type: 'stt', ttlMinutes: TTL_MINUTES },
  tts: { name: 'Text-to-Speech', path: '/tts', usage_type: 'tts', ttlMinutes: TTL_MINUTES },
  viva: { name: 'Voice Isolation', path: '/voice-isolation', usage_type: 'viva', ttlMinutes: TTL_MINUTES },
  vt: { name: 'Voice Translation', path: '/vt', usage_type: 'vt', ttlMinutes: { ...TTL_MINUTES, max: 1440 } },
} as const satisfies Record<string, ProductFacts>

/** One of `stt`, `tts`, `viva`, `vt`. */
export type Product = keyof typeof PRODUCTS

/** The products in the order of their table. (Contract: "WebSocket endpoints".) */
export const PRODUCT_NAMES = ['stt', 'tts', 'viva', 'vt'] as const satisfies readonly Product[]

/** True for a string that names a product; safe for any input, `__proto__` included. */
export function isProduct(value: unknown): value is Product {
  return PRODUCT_NAMES.includes(value as Product)
}
