export { type Bff, type BffOptions, createBff } from './createBff.js'
export type * from './types.js'
