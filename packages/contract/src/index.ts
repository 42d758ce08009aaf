/**
 * The words of both wires: products, limits, errors and types. It runs in browsers without a library; the
 * schemas are in `@stagepass/contract/schemas`.
 *
 * @packageDocumentation
 */
export * from './service/products.js'
export * from './service/limits.js'
export * from './service/meetings.js'
export * from './service/meetingsParams.js'
export * from './service/meetingsWire.js'
export * from './service/assumptions.js'
export * from './service/addressProblem.js'
export * from './service/readMeetings.js'
export { withoutByteOrderMark } from './service/withoutByteOrderMark.js'
export { codesOf, hasCode } from './errors/ErrorRow.js'
export type { ErrorRow, ErrorTable } from './errors/ErrorRow.js'
export { hintBy, hintText } from './errors/hint.js'
export type { Hint, Seen } from './errors/hint.js'
export * from './errors/upstreamErrors.js'
export * from './errors/handshakeErrors.js'
export * from './errors/bffErrors.js'
export * from './errors/mapping.js'
export * from './errors/refusal.js'
export { parseRetryAfter } from './errors/parseRetryAfter.js'
export * from './userHeader.js'
export { mostSimilar, unknownKey } from './mostSimilar.js'
export * from './transport.js'
export type * from './schemas/handshakeCheck.js'
export type * from './schemas/meetings.js'
export type * from './schemas/problem.js'
export type * from './schemas/sessionToken.js'
export type * from './schemas/translation.js'
export type * from './schemas/usage.js'
