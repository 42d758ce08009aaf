import { fromBase64Url, toBase64Url } from '../platform/bytes.js'
import { hashText } from '../platform/random.js'

/**
 * The end of a page: the sort key and the id of its last meeting. The next page begins after it, even if
 * meetings were added or removed in the meantime.
 */
export interface Position {
  readonly key: number
  readonly id: string
}

export type CursorCodec = ReturnType<typeof createCursorCodec>

const SIGNATURE_LENGTH = 16

/**
 * Converts positions to opaque cursors. A cursor is valid only for its list: the scopes must be equal as
 * JSON.
 */
export function createCursorCodec(secret: string) {
  const sign = (payload: string, scope: unknown): string => digest(JSON.stringify([secret, payload, scope]))

  return {
    format({ key, id }: Position, scope: unknown): string {
      const payload = toBase64Url(JSON.stringify([key, id]))
      return sign(payload, scope) + payload
    },
    /** Returns `undefined` if the cursor was not made by this codec, or was made for another list. */
    parse(cursor: string, scope: unknown): Position | undefined {
      const payload = cursor.slice(SIGNATURE_LENGTH)
      if (cursor.slice(0, SIGNATURE_LENGTH) !== sign(payload, scope)) return undefined
      try {
        const [key, id] = JSON.parse(fromBase64Url(payload)) as [number, string]
        return { key, id }
      } catch {
        // The signature is too short to be safe, so a client may have forged it.
        return undefined
      }
    },
  }
}

/**
 * 64 bits in hexadecimal. A cursor contains no secret, so the digest only needs to differ for another list.
 */
function digest(text: string): string {
  return [hashText(text), hashText(text, 0x9747b28c)]
    .map((hash) => hash.toString(16).padStart(8, '0'))
    .join('')
}
