import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'

/** One answer as it came over the wire, headers and all. */
export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The JSON object of the body; empty where it is none. */
  readonly body: Readonly<Record<string, unknown>>
}

export interface Ask {
  readonly method?: string | undefined
  /** A header set to `null` is not sent, the gate's own neither. */
  readonly headers?: Readonly<Record<string, string | string[] | null>> | undefined
  /** Serialised, typed and POSTed. */
  readonly json?: unknown
  /** The body as it is. */
  readonly raw?: string | Buffer | undefined
  /** Hands over the request before it is sent: to abort it, or to keep its body open. */
  readonly onRequest?: ((request: ClientRequest) => void) | undefined
  /** Leaves the body open. */
  readonly unfinished?: boolean | undefined
}

/** A request whose path and headers no URL parser has touched. The gate's header is set unless `headers` says otherwise. */
export function ask(url: string, init: Ask = {}): Promise<Reply> {
  const [, origin = '', path = '/'] = /^(https?:\/\/[^/]+)(\/.*)?$/s.exec(url) ?? []
  const { hostname, port } = new URL(origin)
  const body = init.json === undefined ? init.raw : JSON.stringify(init.json)
  const headers: Record<string, string | string[]> = { 'x-stagepass': '1' }
  if (init.json !== undefined) headers['content-type'] = 'application/json'
  for (const [name, value] of Object.entries(init.headers ?? {})) {
    if (value === null) delete headers[name]
    else headers[name] = value
  }
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        hostname,
        port,
        path,
        method: init.method ?? (body === undefined ? 'GET' : 'POST'),
        headers,
        agent: false,
      },
      (res) => resolve(readReply(res)),
    )
    outgoing.on('error', reject)
    init.onRequest?.(outgoing)
    if (body !== undefined) outgoing.write(body)
    if (!init.unfinished) outgoing.end()
  })
}

async function readReply(res: IncomingMessage): Promise<Reply> {
  const text = await readText(res)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    body = {}
  }
  return {
    status: res.statusCode ?? 0,
    headers: res.headers,
    text,
    body: (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>,
  }
}

export async function readText(stream: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
