import { SIZES } from '@stagepass/contract'
import { invalidValue } from '../base/invalidValue.js'

declare const ONE_SEGMENT: unique symbol

/** The id of a meeting that is one segment of a path. Only `meetingId` makes one. */
export type MeetingId = string & { readonly [ONE_SEGMENT]: true }

/**
 * True if the id is one segment of a path, even after further decoding. No list has a meeting with another
 * id, because no request could open it.
 */
export const isMeetingId = (id: unknown): id is MeetingId =>
  typeof id === 'string' && id !== '' && id.length <= SIZES.meetingId && isOneSegment(id)

/** Throws a VALIDATION_ERROR if the id cannot be sent. */
export function meetingId(id: unknown): MeetingId {
  if (!isMeetingId(id)) throw invalidValue('id')
  return id
}

/**
 * Matches a character that ends a segment or the path, a control character, or a dot segment with or without
 * a parameter.
 */
const NOT_IN_A_SEGMENT = /[/\\?#\p{Cc}]|^\.\.?(?:;|$)/u

/**
 * The id is sent percent-encoded. But each proxy in front of the service may decode the path before it
 * forwards the request. `..%2Fusers` would become a different path, and the request has the credential.
 */
function isOneSegment(id: string): boolean {
  if (NOT_IN_A_SEGMENT.test(id)) return false
  const decoded = id.replaceAll(/%([0-7][\da-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return decoded === id || isOneSegment(decoded)
}
