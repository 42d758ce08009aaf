import type { Product } from '@stagepass/contract'
import type { Surface } from '../faults/faults.js'
import type { Answer, Call } from '../request/http.js'

/** One operation of the HTTP interface. Routes answer from the store, at once; waiting, faults and transport are the server's. */
export interface Route {
  readonly surface: Exclude<Surface, 'handshake'>
  readonly method: 'GET' | 'POST'
  /** The path with at most one `{id}`. */
  readonly path: string
  /** The product that a request is about, for faults limited to one. */
  productOf(call: Call): Product | undefined
  /** `id` is the raw text in place of `{id}`, not decoded. */
  answer(call: Call, id: string): Answer
  /** What a fault with this route's error codes answers. */
  fail(code: string): Answer
}

/** The meetings interface has a base of its own; the emulator puts it on the same server under this prefix. */
export const MEETINGS_PREFIX = '/v1'
