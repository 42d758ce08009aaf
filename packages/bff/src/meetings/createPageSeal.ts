import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Seals pages that leave the process, and opens them again. */
export interface PageSeal {
  /** `name` is where the page will be: it opens under no other. */
  seal(name: string, page: string): string
  /** `undefined` if it was changed, cut, moved to another name or sealed with another secret. */
  open(name: string, sealed: string): string | undefined
}

/** The first byte of a sealed page: the form of what follows. */
const VERSION = Buffer.of(1)
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** A key of its own for each `purpose`, so that no key is used for two things. */
export function deriveKey(secret: string, purpose: 'page contents' | 'page names'): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `stagepass ${purpose}`, 32))
}

/**
 * AES-256-GCM. A sealed page is base64 of:
 *
 *     version (1 byte) | nonce (12 bytes, random) | encrypted page | tag (16 bytes)
 *
 * The tag also covers the version and the name.
 */
export function createPageSeal(secret: string): PageSeal {
  const key = deriveKey(secret, 'page contents')
  const boundTo = (name: string): Buffer => Buffer.concat([VERSION, Buffer.from(name)])
  return {
    seal(name, page) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(boundTo(name))
      const encrypted = Buffer.concat([cipher.update(page, 'utf8'), cipher.final()])
      return Buffer.concat([VERSION, nonce, encrypted, cipher.getAuthTag()]).toString('base64')
    },
    open(name, sealed) {
      const bytes = Buffer.from(sealed, 'base64')
      const start = VERSION.length + NONCE_BYTES
      if (bytes.length < start + TAG_BYTES || !VERSION.equals(bytes.subarray(0, VERSION.length)))
        return undefined
      // Node ignores characters that are not base64.
      if (bytes.toString('base64') !== sealed) return undefined
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(VERSION.length, start), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(boundTo(name))
        .setAuthTag(bytes.subarray(-TAG_BYTES))
      try {
        return decipher.update(bytes.subarray(start, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        return undefined
      }
    },
  }
}
