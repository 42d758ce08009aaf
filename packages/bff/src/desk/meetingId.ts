import { SIZES } from '@stagepass/contract'
import { invalidValue } from '../base/invalidValue.js'

declare const ONE_SEGMENT: unique symbol

/** The id of a meeting that is one segment of a path. Only `meetingId` makes one. */
export type MeetingId = string & { readonly [ONE_SEGMENT]: true }

/** Throws a VALIDATION_ERROR unless the id is one segment of a path, even after further decoding. */
export function meetingId(id: unknown): MeetingId {
  if (typeof id !== 'string' || id === '' || id.length > SIZES.meetingId || !isOneSegment(id))
    throw invalidValue('id')
  return id as MeetingId // the mark is only a type
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
