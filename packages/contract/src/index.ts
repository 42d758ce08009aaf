/**
 * The words of both wires: products, limits, errors and types. It runs in browsers without a library; the
 * schemas are in `@stagepass/contract/schemas`.
 *
 * @module @stagepass/contract
 */
export * from './service/products.js'
export * from './service/limits.js'
export * from './service/meetingsParams.js'
export * from './service/meetingsWire.js'
export * from './service/assumptions.js'
export * from './service/addressProblem.js'
export * from './service/readMeetings.js'
export {
  DEFAULT_MEETING_FIELDS,
  MEETING_FIELDS,
  MEETING_READERS,
  type MeetingField,
  type RowWith,
  type SkipValue,
  type Tag,
} from './service/meetingFields.js'
export type { ValueKind } from './service/readValue.js'
export { withDefaults } from './service/withDefaults.js'
export { isObject } from './service/isObject.js'
export { stripBom } from './service/stripBom.js'
export { codesOf, hasCode } from './errors/ErrorRow.js'
export type { ErrorRow, ErrorTable } from './errors/ErrorRow.js'
export { hintText } from './errors/hint.js'
export type { Hints, Seen } from './errors/hint.js'
export * from './errors/upstreamErrors.js'
export * from './errors/handshakeErrors.js'
export * from './errors/bffErrors.js'
export * from './errors/requestRules.js'
export * from './errors/mapping.js'
export * from './errors/refusal.js'
export { boundWait, parseRetryAfter } from './errors/parseRetryAfter.js'
export * from './encodeText.js'
export * from './secrets.js'
export * from './headers.js'
export * from './bffRoutes.js'
export * from './pageFigures.js'
export { mostSimilar, unknownKey } from './mostSimilar.js'
export * from './tape.js'
export * from './transport.js'
export type * from './schemas/handshakeCheck.js'
export type * from './schemas/meetings.js'
export type * from './schemas/problem.js'
export type * from './schemas/sessions.js'
export type * from './schemas/sessionToken.js'
export type * from './schemas/translation.js'
export type * from './schemas/usage.js'
export type * from './schemas/vitals.js'
