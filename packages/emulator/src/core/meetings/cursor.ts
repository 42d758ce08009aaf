import { fromBase64Url, toBase64Url } from '../platform/bytes.js'
import { hashText } from '../platform/random.js'

/**
 * Where a page ended: the sort key and the id of its last meeting. The next page begins after it, even if
 * meetings were added or removed since.
 */
export interface Position {
  readonly key: number
  readonly id: string
}

export type CursorCodec = ReturnType<typeof createCursorCodec>

const SIGNATURE_LENGTH = 16

/** Makes positions opaque. A cursor is valid for one list: for equal scopes, as JSON. */
export function createCursorCodec(secret: string) {
  const sign = (payload: string, scope: unknown): string => digest(JSON.stringify([secret, payload, scope]))

  return {
    format({ key, id }: Position, scope: unknown): string {
      const payload = toBase64Url(JSON.stringify([key, id]))
      return sign(payload, scope) + payload
    },
    /** `undefined` if this codec did not make the cursor, or made it for another list. */
    parse(cursor: string, scope: unknown): Position | undefined {
      const payload = cursor.slice(SIGNATURE_LENGTH)
      if (cursor.slice(0, SIGNATURE_LENGTH) !== sign(payload, scope)) return undefined
      try {
        const [key, id] = JSON.parse(fromBase64Url(payload)) as [number, string]
        return { key, id }
      } catch {
        // The signature is too short to be safe: a client could make one.
        return undefined
      }
    },
  }
}

/** 64 bits in hexadecimal. A cursor hides nothing: the digest only has to differ for another list. */
function digest(text: string): string {
  return [hashText(text), hashText(text, 0x9747b28c)]
    .map((hash) => hash.toString(16).padStart(8, '0'))
    .join('')
}
