/**
 * The BFF for Express, Connect, `node:http` and `node:http2`.
 *
 * @module @stagepass/bff
 */
export { isBffError } from './base/BffError.js'
export { type Bff, type BffOptions, createBff } from './hosts/node/createBff.js'
export type * from './hosts/types.js'
