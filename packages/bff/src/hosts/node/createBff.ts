import type { IncomingMessage } from 'node:http'
import { createDesk } from '../../desk/createDesk.js'
import { type BffMethods, createAs } from '../../front/createAs.js'
import { createHandler } from '../../front/createHandler.js'
import { createNodeHandler, type NodeHandler } from './createNodeHandler.js'
import type { CommonOptions } from '../../settings/BffOptions.js'
import { createUndiciTransport } from '../../upstream/transport/undici.js'

/** Options of `createBff`. All are checked at creation. A wrong value throws an error with a remedy. */
export interface BffOptions<TRequest = IncomingMessage> extends CommonOptions<TRequest> {}

/**
 * A middleware function for Express and Connect, and a request listener for `node:http` and `node:http2`.
 * `TRequest` is the request that `authorize` takes.
 */
export interface Bff<TRequest = IncomingMessage> extends BffMethods, NodeHandler<TRequest> {}

/**
 * Creates the BFF, which keeps the keys on the server, for hosts on Node. Mount it under its own path, before
 * body parsers: `app.use('/api/voice', createBff({ … }))`. It also works behind a body parser, but Express
 * prints a body that it cannot parse, and that body may contain a session token. `docs/hosts.md` has the code
 * for each host. For hosts with `Request` and `Response`, use `@stagepass/bff/fetch`. If an option is missing
 * or wrong, throws a `TypeError` with a remedy.
 */
export function createBff<TRequest = IncomingMessage>(options: BffOptions<TRequest>): Bff<TRequest> {
  const desk = createDesk(options, createUndiciTransport)
  desk.open()
  // No property may be named `handle` or `set`: Express treats a function with both as an application.
  return Object.assign(createNodeHandler<TRequest>(createHandler(desk)), desk.methods, { as: createAs(desk) })
}
