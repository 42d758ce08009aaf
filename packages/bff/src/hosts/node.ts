import type { IncomingMessage, ServerResponse } from 'node:http'
import type { IncomingBody, IncomingRequest } from '../request/IncomingRequest.js'
import type { OutgoingResponse } from '../request/OutgoingResponse.js'
import { nodeBody } from './nodeBody.js'
import { nodeOrigin } from './nodeOrigin.js'

/** A middleware function for Express and Connect, and a request listener for `node:http`. */
export type NodeHandler = (
  req: IncomingMessage,
  res: ServerResponse,
  next?: (error?: unknown) => void,
) => void

/** `handle` resolves with `undefined` if nothing is to be sent. */
export function createNodeHandler(
  handle: (request: IncomingRequest) => Promise<OutgoingResponse | undefined>,
): NodeHandler {
  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const response = await handle(new NodeRequest(req, res))
    // No I/O comes between the end of `handle` and this line: a response that was wanted there is wanted here.
    if (response) send(res, response)
  }
  return (req, res, next) => void serve(req, res).catch(next ?? (() => res.destroy()))
}

function send(res: ServerResponse, { status, headers, body, closeConnection }: OutgoingResponse): void {
  if (closeConnection) headers['Connection'] = 'close'
  res.writeHead(status, headers)
  res.end(body)
}

class NodeRequest implements IncomingRequest {
  readonly hostRequest: IncomingMessage
  readonly #res: ServerResponse

  constructor(req: IncomingMessage, res: ServerResponse) {
    this.hostRequest = req
    this.#res = res
  }

  get method(): string {
    return this.hostRequest.method ?? 'GET'
  }

  /** Express and Connect take the mount away. */
  get url(): string {
    return this.hostRequest.url ?? '/'
  }

  header(name: string): string | undefined {
    const value = this.hostRequest.headers[name]
    return typeof value === 'string' ? value : undefined
  }

  ownOrigin(): string | undefined {
    return nodeOrigin(this.hostRequest)
  }

  body(): IncomingBody {
    return nodeBody(this.hostRequest)
  }

  addHeaders(headers: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(headers))
      this.#res.setHeader(name, name === 'Vary' ? joinVary(this.#res.getHeader('Vary'), value) : value)
  }

  isAnswered(): boolean {
    return this.#res.headersSent
  }

  onClose(listener: () => void): void {
    const res = this.#res
    // The response's `close`, because the request's comes as soon as a body parser has read it. It also follows each complete response.
    const onClose = (): void => {
      if (!res.writableEnded) listener()
    }
    if (res.closed) onClose()
    else res.once('close', onClose)
  }
}

/** `compression`, for example, has set `Accept-Encoding` before. */
function joinVary(current: number | string | readonly string[] | undefined, name: string): string {
  if (current === undefined) return name
  const names = [current].flat().join(', ')
  const isThere = names
    .split(',')
    .some((other) => [name.toLowerCase(), '*'].includes(other.trim().toLowerCase()))
  return isThere ? names : `${names}, ${name}`
}
