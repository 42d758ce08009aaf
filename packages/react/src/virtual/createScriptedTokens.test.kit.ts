import { BFF_ERRORS, type BffErrorCode, type Product, PRODUCTS } from '@stagepass/contract'
import type { Identity } from '../identity/Client.js'
import type { Platform } from '../platform/platform.js'
import { respond } from './respond.test.kit.js'

/** A token that the scripted service granted. `number` counts from 1. */
export interface GrantedToken {
  readonly number: number
  /** The identity for which it was requested. */
  readonly identity: Identity
  readonly product: Product
  readonly expiresAt: number
  revoked: boolean
}

interface ScriptedTokensOptions {
  readonly platform: Platform
  /** Real milliseconds, including the machine's sleep. */
  readonly now: () => number
  readonly ttlMs: number
}

/** The tokens of the scripted service. */
export function createScriptedTokens({ platform, now, ttlMs }: ScriptedTokensOptions) {
  const tokens = new Map<string, GrantedToken>()
  const errors: BffErrorCode[] = []

  return {
    /** Responds to a token request. */
    grant(product: Product, identity: Identity, isCounted: boolean): Response {
      const error = errors.shift()
      if (error) return problem(error)
      const number = tokens.size + 1
      const key = `scripted-${product}-${number}`
      tokens.set(key, { number, identity, product, expiresAt: now() + ttlMs, revoked: false })
      return respond({
        session_key: key,
        usage_type: product,
        type: 'session',
        status: 'LICENSE_VALID',
        expires_at: new Date(platform.wallNow() + ttlMs).toISOString(),
        expires_in_ms: ttlMs,
        stream_url: `wss://scripted.invalid${PRODUCTS[product].path}`,
        usage_receipt: isCounted ? `receipt of ${key}` : undefined,
      })
    },
    /** The next requests get this error. */
    fail(code: BffErrorCode, times: number): void {
      errors.push(...Array.from({ length: times }, () => code))
    },
    find: (key: string): GrantedToken | undefined => tokens.get(key),
    isValid: (token: GrantedToken | undefined): token is GrantedToken =>
      token !== undefined && !token.revoked && token.expiresAt > now(),
    revokeAll(): void {
      for (const token of tokens.values()) token.revoked = true
    },
    get granted(): number {
      return tokens.size
    },
  }
}

/** A response of the BFF with an error. */
export function problem(code: BffErrorCode): Response {
  const { status, retryable } = BFF_ERRORS[code]
  return respond({ title: code, status, error_code: code, retryable, request_id: 'scripted' }, status)
}
