import { fromBase64, toBase64 } from './base64.js'
import { sealKey } from './keys.js'

/** The first byte of a sealed page: the form of what follows. */
const VERSION = 2
const NONCE_BYTES = 12
const TAG_BYTES = 16
const OVERHEAD = 1 + NONCE_BYTES + TAG_BYTES

/** How long a sealed page of so many bytes is. */
export const sealedLength = (bytes: number): number => Math.ceil((bytes + OVERHEAD) / 3) * 4

const utf8 = new TextEncoder()
const utf8Text = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Seals pages that leave the process, and opens them again. AES-256-GCM. A sealed page is base64 of:
 *
 *     version (1 byte) | nonce (12 bytes, random) | encrypted page | tag (16 bytes)
 *
 * The tag also covers the version and the name.
 */
export function createPageSeal(secret: string) {
  const key = sealKey(secret)
  const cipher = (iv: Uint8Array<ArrayBuffer>, name: string): AesGcmParams => {
    const additionalData = Uint8Array.of(VERSION, ...utf8.encode(name))
    return { name: 'AES-GCM', iv, additionalData, tagLength: 8 * TAG_BYTES }
  }
  return {
    /** `name` is where the page will be: it opens under no other. */
    async seal(name: string, page: string): Promise<string> {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
      const encrypted = await crypto.subtle.encrypt(cipher(nonce, name), await key(), utf8.encode(page))
      const bytes = new Uint8Array(1 + NONCE_BYTES + encrypted.byteLength)
      bytes[0] = VERSION
      bytes.set(nonce, 1)
      bytes.set(new Uint8Array(encrypted), 1 + NONCE_BYTES)
      return toBase64(bytes)
    },
    /** `undefined` if it was changed, cut, moved to another name or sealed with another secret. */
    async open(name: string, sealed: string): Promise<string | undefined> {
      const bytes = fromBase64(sealed)
      if (!bytes || bytes.length < OVERHEAD || bytes[0] !== VERSION) return undefined
      const nonce = bytes.slice(1, 1 + NONCE_BYTES)
      try {
        const page = await crypto.subtle.decrypt(
          cipher(nonce, name),
          await key(),
          bytes.subarray(1 + NONCE_BYTES),
        )
        return utf8Text.decode(page)
      } catch {
        return undefined
      }
    },
  }
}
