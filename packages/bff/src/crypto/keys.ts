import { toBase64Url } from './base64.js'

/*
 * WebCrypto, because every runtime has it. `docs/decisions/crypto.md` has the reasons. Keys are made at their
 * first use, because Cloudflare Workers calculate nothing before the first request.
 */

/** What a key is for. Each purpose has a key of its own, so that no key is used for two things. */
type Purpose = 'page contents' | 'page names' | 'user ids' | 'usage receipts' | 'grants'

/** `CryptoKey`. The types of Node 20 have no global of this name, and our users may have no others. */
type Key = Parameters<typeof crypto.subtle.sign>[1]

const utf8 = new TextEncoder()

/** Runs `make` at the first call. Later calls get the same promise. */
const once = <TValue>(make: () => Promise<TValue>): (() => Promise<TValue>) => {
  let made: Promise<TValue> | undefined
  return () => (made ??= make())
}

/** HKDF-SHA-256 of a secret of the host, without salt. */
const derive = async (
  secret: string,
  purpose: Purpose,
  algorithm: AesDerivedKeyParams | HmacImportParams,
  usages: readonly KeyUsage[],
): Promise<Key> => {
  const material = await crypto.subtle.importKey('raw', utf8.encode(secret), 'HKDF', false, ['deriveKey'])
  const info = utf8.encode(`stagepass ${purpose}`)
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
  return crypto.subtle.deriveKey(hkdf, material, algorithm, false, usages)
}

/** A key for AES-256-GCM. */
export const sealKey = (secret: string): (() => Promise<Key>) =>
  once(() => derive(secret, 'page contents', { name: 'AES-GCM', length: 256 }, ['encrypt', 'decrypt']))

/** A text of 43 characters. It says nothing about the given one to anyone who does not have the secret. */
export type Hmac = (text: string) => Promise<string>

/** HMAC-SHA-256 under a key that is made of the secret. */
export function createHmac(secret: string, purpose: Purpose): Hmac {
  const key = once(() => derive(secret, purpose, { name: 'HMAC', hash: 'SHA-256', length: 256 }, ['sign']))
  return async (text) =>
    toBase64Url(new Uint8Array(await crypto.subtle.sign('HMAC', await key(), utf8.encode(text))))
}

/** SHA-256 as a text of 43 characters. */
export async function sha256(text: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8.encode(text))))
}
