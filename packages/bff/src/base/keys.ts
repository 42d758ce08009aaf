/*
 * Uses WebCrypto, because every runtime has it. `docs/decisions/crypto.md` has the reasons. Keys are created
 * at their first use, because Cloudflare Workers cannot compute them before the first request.
 */

/** The purpose of a key. Each purpose has its own key, so that no key is used for two things. */
type Purpose = 'user ids' | 'account keys' | 'usage receipts' | 'grants' | 'session ids' | 'session notes'

/** The type `CryptoKey`, which is not a global in the types of Node 20. */
type Key = Parameters<typeof crypto.subtle.sign>[1]

const utf8 = new TextEncoder()

/** Returns a text of 43 characters. Without the secret it reveals nothing about the given text. */
export type Hmac = (text: string) => Promise<string>

/** HKDF-SHA-256 without salt. */
async function derive(
  secret: string,
  purpose: Purpose,
  algorithm: { readonly name: string; readonly hash?: string; readonly length: number },
  uses: ('sign' | 'encrypt' | 'decrypt')[],
): Promise<Key> {
  const material = await crypto.subtle.importKey('raw', utf8.encode(secret), 'HKDF', false, ['deriveKey'])
  const info = utf8.encode(`stagepass ${purpose}`)
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
  return crypto.subtle.deriveKey(hkdf, material, algorithm, false, uses)
}

/** HMAC-SHA-256 with a key that is derived from the secret. */
export function createHmac(secret: string, purpose: Purpose): Hmac {
  let key: Promise<Key> | undefined
  return async (text) => {
    key ??= derive(secret, purpose, { name: 'HMAC', hash: 'SHA-256', length: 256 }, ['sign'])
    return toBase64Url(await crypto.subtle.sign('HMAC', await key, utf8.encode(text)))
  }
}

/** Hides texts in a store, and reads them again. */
export interface Cipher {
  encrypt(text: string): Promise<string>
  /** Returns `undefined` if the text was encrypted with another secret, or changed. */
  decrypt(hidden: string): Promise<string | undefined>
}

const IV_BYTES = 12

/** AES-256-GCM with a key that is derived from the secret. */
export function createCipher(secret: string, purpose: Purpose): Cipher {
  let key: Promise<Key> | undefined
  const keyOf = (): Promise<Key> =>
    (key ??= derive(secret, purpose, { name: 'AES-GCM', length: 256 }, ['encrypt', 'decrypt']))
  return {
    async encrypt(text) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
      const hidden = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await keyOf(), utf8.encode(text))
      return `${toBase64Url(iv.buffer)}.${toBase64Url(hidden)}`
    },
    async decrypt(hidden) {
      const [iv = '', bytes = ''] = hidden.split('.')
      try {
        const algorithm = { name: 'AES-GCM', iv: fromBase64Url(iv) }
        return new TextDecoder().decode(
          await crypto.subtle.decrypt(algorithm, await keyOf(), fromBase64Url(bytes)),
        )
      } catch {
        return undefined
      }
    },
  }
}

/** Returns the SHA-256 as a text of 43 characters. */
export async function sha256(text: string): Promise<string> {
  return toBase64Url(await crypto.subtle.digest('SHA-256', utf8.encode(text)))
}

/** Base64url without padding. Node 20 has no `toBase64` for bytes. */
const toBase64Url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0))
