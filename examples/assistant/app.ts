import { hostHeaderValidation } from '@modelcontextprotocol/sdk/server/middleware/hostHeaderValidation.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Bff, Grant } from '@stagepass/bff'
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express'
import { createTools } from './tools.js'

interface AppOptions {
  readonly bff: Bff<Request>
  /** The grant of the request's bearer token. `null`: there is no valid one. */
  readonly authorize: (request: Request) => Promise<Grant | null>
  /** Names of this server, without ports. A page of another name would reach it by DNS rebinding. */
  readonly hosts: string[]
}

/** The MCP server at `/mcp`. Requests are independent: there is no session. */
export function createApp({ bff, authorize, hosts }: AppOptions): Express {
  const app = express()
  app.disable('x-powered-by')
  app.use(hostHeaderValidation(hosts))
  app.use((req, res, next) => {
    const { origin } = req.headers
    if (origin === undefined || (URL.canParse(origin) && hosts.includes(new URL(origin).hostname))) next()
    else refuse(res, 403, 'This server is not for pages of another origin.')
  })
  // No parser before it: the transport reads the body itself, and limits its size.
  app.post('/mcp', async (req, res) => {
    const grant = await authorize(req)
    if (!grant) {
      const fault = req.headers.authorization === undefined ? '' : ', error="invalid_token"'
      res.set('www-authenticate', `Bearer realm="meetings"${fault}`)
      return refuse(res, 401, 'There is no valid token in this request. Get a new one.')
    }
    const mcp = createTools(bff.as(grant))
    // Ends the calls of a client that has gone.
    res.on('close', () => void mcp.close())
    const transport = new StreamableHTTPServerTransport()
    await mcp.connect(transport)
    await transport.handleRequest(req, res)
  })
  // A client asks once whether there is a stream of events. Of all answers, only 405 means no.
  app.all('/mcp', (_req, res) => refuse(res.set('allow', 'POST'), 405, 'Use POST.'))
  app.use(onError)
  return app
}

/** A page of HTML with a stack would be the answer of Express. */
const onError: ErrorRequestHandler = (error, _req, res, _next) => {
  console.error(error)
  if (res.headersSent) res.destroy()
  else refuse(res, 500, 'This server could not answer. Its log has the reason.')
}

function refuse(res: Response, status: number, message: string): void {
  res.status(status).json({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null })
}
