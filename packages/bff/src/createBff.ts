import type { IncomingMessage } from 'node:http'
import { type BffMethods, createCore } from './createCore.js'
import { createNodeHandler, type NodeHandler } from './hosts/node.js'
import type { CommonOptions } from './settings/BffOptions.js'
import { createUndiciTransport } from './transport/undici.js'

/** Options of `createBff`. All are checked at creation; a bad value throws an error that says what to do. */
export interface BffOptions<TRequest = IncomingMessage> extends CommonOptions<TRequest> {}

/**
 * A middleware function for Express and Connect, and a request listener for `node:http` and `node:http2`.
 * `TRequest` is the request that `authorize` takes.
 */
export interface Bff<TRequest = IncomingMessage> extends BffMethods, NodeHandler<TRequest> {}

/**
 * Creates the function that holds the keys, for hosts on Node. Mount it under a path of its own, before body
 * parsers: `app.use('/api/voice', createBff({ … }))`. It works behind one too, but Express prints a body that
 * it cannot parse, and a session token may be in it. `docs/hosts.md` has the lines for each host; for hosts
 * that speak `Request` and `Response` there is `@stagepass/bff/fetch`. Throws a `TypeError` that says what to
 * do if an option is missing or wrong.
 */
export function createBff<TRequest = IncomingMessage>(options: BffOptions<TRequest>): Bff<TRequest> {
  const { handle, methods } = createCore(options, createUndiciTransport)
  // No property `handle` or `set`: Express takes a function that has both for an application.
  return Object.assign(createNodeHandler<TRequest>(handle), methods)
}
