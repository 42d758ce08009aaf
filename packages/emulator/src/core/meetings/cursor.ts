import { createHmac } from 'node:crypto'
import type { MeetingsFilter, MeetingsOrder } from './parseQuery.js'

/** Where a page ended: the sort key and the id of its last meeting. The next page begins behind it, whatever was added or removed meanwhile. */
export interface Position {
  readonly key: number
  readonly id: string
}

/** Makes positions opaque, and binds them to the filter and the order they were made for. */
export interface CursorCodec {
  format(position: Position, query: CursorScope): string
  /** `undefined` for what this codec did not make, or made for another list. */
  parse(cursor: string, query: CursorScope): Position | undefined
}

interface CursorScope {
  readonly filter: MeetingsFilter
  readonly order: MeetingsOrder
  /** Whose list. */
  readonly holder: string
}

const SIGNATURE_LENGTH = 16

export function createCursorCodec(secret: string): CursorCodec {
  const sign = (payload: string, { filter, order, holder }: CursorScope): string =>
    createHmac('sha256', secret)
      .update(
        JSON.stringify([
          payload,
          holder,
          order,
          { ...filter, fromMs: String(filter.fromMs), toMs: String(filter.toMs) },
        ]),
      )
      .digest('base64url')
      .slice(0, SIGNATURE_LENGTH)

  return {
    format({ key, id }, scope) {
      const payload = Buffer.from(JSON.stringify([key, id])).toString('base64url')
      return sign(payload, scope) + payload
    },
    parse(cursor, scope) {
      const payload = cursor.slice(SIGNATURE_LENGTH)
      if (cursor.slice(0, SIGNATURE_LENGTH) !== sign(payload, scope)) return undefined
      const [key, id] = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as [number, string]
      return { key, id }
    },
  }
}
