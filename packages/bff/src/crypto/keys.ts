/*
 * WebCrypto, because every runtime has it. `docs/decisions/crypto.md` has the reasons. Keys are made at their
 * first use, because Cloudflare Workers calculate nothing before the first request.
 */

/** What a key is for. Each purpose has a key of its own, so that no key is used for two things. */
type Purpose = 'user ids' | 'usage receipts' | 'grants'

/** `CryptoKey`. The types of Node 20 have no global of this name, and our users may have no others. */
type Key = Parameters<typeof crypto.subtle.sign>[1]

const utf8 = new TextEncoder()

/** A text of 43 characters. It says nothing about the given one to anyone who does not have the secret. */
export type Hmac = (text: string) => Promise<string>

/** HMAC-SHA-256 under a key that HKDF-SHA-256 makes of the secret, without salt. */
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

/** SHA-256 as a text of 43 characters. */
export async function sha256(text: string): Promise<string> {
  return toBase64Url(await crypto.subtle.digest('SHA-256', utf8.encode(text)))
}

/** Base64 for addresses and keys: without padding. Node 20 has no `toBase64` of bytes. */
const toBase64Url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
