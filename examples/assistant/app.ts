import { hostHeaderValidation, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { type Bff, type Grant, isBffError } from '@stagepass/bff'
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express'
import { createTools } from './tools.js'

interface AppOptions {
  readonly bff: Bff<Request>
  /** The grant of the request's bearer token. `null`: there is no valid one. */
  readonly authorize: (request: Request) => Promise<Grant | null>
  /** Names of this server, without ports. A page of another name would reach it by DNS rebinding. */
  readonly hosts: string[]
  /** The origin of this server for its clients, if a proxy hides it. */
  readonly origin?: string | undefined
}

/** More than the longest call of a tool. */
const MAX_BODY = '32kb'

/** The MCP server at `/mcp`. Requests are independent: there is no session. */
export function createApp({ bff, authorize, hosts, origin: ownOrigin }: AppOptions): Express {
  const app = express()
  app.disable('x-powered-by')
  const isOwnHost = hostHeaderValidation(hosts)
  app.use((req, res, next) => {
    // It has answered a foreign one.
    if (!isOwnHost(req, res)) return
    const { origin, host } = req.headers
    if (origin === undefined || origin === ownOrigin || origin === `${req.protocol}://${host}`) next()
    else refuse(res, 403, 'This server is not for pages of another origin.')
  })
  // Before the transport, which takes 4 MB.
  app.post('/mcp', express.json({ limit: MAX_BODY, type: () => true }), async (req, res) => {
    const grant = await authorize(req)
    if (!grant) {
      const fault = req.headers.authorization === undefined ? '' : ', error="invalid_token"'
      res.set('www-authenticate', `Bearer realm="meetings"${fault}`)
      return refuse(res, 401, 'There is no valid token in this request. Get a new one.')
    }
    const user = bff.as(grant)
    // Counts the request in the limits of the user, also if it calls no tool.
    await user.usage([])
    // It makes a server for this request, and ends its calls if the client has gone.
    const mcp = createMcpHandler(() => createTools(user), { maxSubscriptions: 0 })
    await toNodeHandler(mcp)(req, res, req.body)
  })
  // A client asks once whether there is a stream of events. Of all answers, only 405 means no.
  app.all('/mcp', (_req, res) => refuse(res.set('allow', 'POST'), 405, 'Use POST.'))
  app.use(onError)
  return app
}

/** A page of HTML with a stack would be the answer of Express. */
const onError: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
  if (res.headersSent) return void res.destroy()
  if (isBffError(error)) {
    const { status, message, retryAfterMs } = error
    if (retryAfterMs !== undefined) res.set('retry-after', String(Math.ceil(retryAfterMs / 1_000)))
    return refuse(res, status, message)
  }
  // Of the parser.
  const { status } = Object(error) as { status?: unknown }
  if (status === 413) return refuse(res, 413, `The body is longer than ${MAX_BODY}.`)
  if (status === 400) return refuse(res, 400, 'The body is not JSON.', -32_700)
  console.error(error)
  refuse(res, 500, 'This server could not answer. Its log has the reason.')
}

function refuse(res: Response, status: number, message: string, code = -32_000): void {
  res.status(status).json({ jsonrpc: '2.0', error: { code, message }, id: null })
}
