/*
 * Uses WebCrypto, because every runtime has it. `docs/decisions/crypto.md` has the reasons. Keys are created
 * at their first use, because Cloudflare Workers cannot compute them before the first request.
 */

/** The purpose of a key. Each purpose has its own key, so that no key is used for two things. */
type Purpose = 'user ids' | 'usage receipts' | 'grants'

/** The type `CryptoKey`, which is not a global in the types of Node 20. */
type Key = Parameters<typeof crypto.subtle.sign>[1]

const utf8 = new TextEncoder()

/** Returns a text of 43 characters. Without the secret it reveals nothing about the given text. */
export type Hmac = (text: string) => Promise<string>

/** HMAC-SHA-256 with a key that HKDF-SHA-256 derives from the secret, without salt. */
export function createHmac(secret: string, purpose: Purpose): Hmac {
  const derive = async (): Promise<Key> => {
    const material = await crypto.subtle.importKey('raw', utf8.encode(secret), 'HKDF', false, ['deriveKey'])
    const info = utf8.encode(`stagepass ${purpose}`)
    const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
    const algorithm = { name: 'HMAC', hash: 'SHA-256', length: 256 }
    return crypto.subtle.deriveKey(hkdf, material, algorithm, false, ['sign'])
  }
  let key: Promise<Key> | undefined
  return async (text) =>
    toBase64Url(await crypto.subtle.sign('HMAC', await (key ??= derive()), utf8.encode(text)))
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
