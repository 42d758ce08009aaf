import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { request as requestTls } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'

export interface Ask {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  readonly signal?: AbortSignal
}

export interface Answer {
  readonly status: number
  readonly allow: string | undefined
  readonly text: string
}

/** A request of a signed-in user with the header of the gate, and nothing that says from where. */
export async function ask(origin: string, path: string, options: Ask = {}): Promise<Answer> {
  const { body, headers, ...rest } = options
  const sent = (origin.startsWith('https') ? requestTls : request)(`${origin}/api/voice${path}`, {
    agent: false,
    rejectUnauthorized: false,
    ...rest,
    headers: { 'x-stagepass': '1', 'content-type': 'application/json', cookie: 'user=ada', ...headers },
  })
  const answered = once(sent, 'response')
  // After the response, a server may close a connection on which we still write.
  sent.on('error', () => undefined)
  sent.end(body)
  const [response] = (await answered) as [IncomingMessage]
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return { status: response.statusCode ?? 0, allow: response.headers.allow, text }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Asks until `check` passes. Throws what it threw last. */
export async function until(check: () => unknown, limitMs = 15_000): Promise<void> {
  const end = performance.now() + limitMs
  for (;;) {
    try {
      await check()
      return
    } catch (thrown) {
      if (performance.now() > end) throw thrown
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
