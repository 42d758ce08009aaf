/**
 * Schemas of the requests and responses of both wires.
 *
 * @module @stagepass/contract/schemas
 */
export * from './schemas/handshakeCheck.js'
export * from './schemas/meetings.js'
export * from './schemas/problem.js'
export * from './schemas/sessions.js'
export * from './schemas/sessionToken.js'
export * from './schemas/translation.js'
export * from './schemas/usage.js'
export * from './schemas/vitals.js'
