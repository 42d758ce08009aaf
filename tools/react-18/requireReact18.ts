import Module from 'node:module'
import { resolve as join } from 'node:path'

/*
 * Libraries in CommonJS (react-use-websocket, Testing Library) call require('react') past Vite's aliases, and
 * would bring React 19 along.
 */

// Node's own hook for it, which its types do not show.
const loader = Module as unknown as {
  _resolveFilename: (this: unknown, request: string, ...rest: unknown[]) => string
}
const resolve = loader._resolveFilename
const react18 = join(import.meta.dirname, 'node_modules')

loader._resolveFilename = function (request, ...rest) {
  return resolve.call(this, /^react(-dom)?(\/|$)/.test(request) ? `${react18}/${request}` : request, ...rest)
}
