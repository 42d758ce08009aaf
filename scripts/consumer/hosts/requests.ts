import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { Agent as TlsAgent, request as requestTls } from 'node:https'

export interface Ask {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** A body of this many bytes. It is sent until a response comes, as browsers and curl do. */
  readonly bytes?: number
  readonly signal?: AbortSignal
}

export interface Answer {
  readonly status: number
  readonly allow: string | undefined
  readonly text: string
}

/** A request of a signed-in user with the gate's header, but without headers of its origin. */
export async function ask(origin: string, path: string, options: Ask = {}): Promise<Answer> {
  const { body, bytes, headers, ...rest } = options
  const isTls = origin.startsWith('https')
  // Keep-alive, as in browsers: after `Connection: close` Node closes a connection while the client still
  // writes.
  const agent = new (isTls ? TlsAgent : Agent)({ keepAlive: true })
  const sent = (isTls ? requestTls : request)(`${origin}/api/voice${path}`, {
    agent,
    rejectUnauthorized: false,
    ...rest,
    headers: { 'x-stagepass': '1', 'content-type': 'application/json', cookie: 'user=ada', ...headers },
  })
  const answered = once(sent, 'response')
  // After its response a server may close a connection while we still write.
  sent.on('error', () => undefined)
  if (bytes === undefined) sent.end(body)
  else void pour(sent, bytes, answered)
  const [response] = (await answered) as [IncomingMessage]
  let text = ''
  for await (const chunk of response) text += String(chunk)
  agent.destroy()
  return { status: response.statusCode ?? 0, allow: response.headers.allow, text }
}

async function pour(sent: ClientRequest, bytes: number, answered: Promise<unknown>): Promise<void> {
  const piece = Buffer.alloc(65_536, ' ')
  const stop = answered.then(() => 'stop' as const)
  for (let left = bytes; left > 0; left -= piece.length) {
    const drained = sent.write(piece) ? new Promise(setImmediate) : once(sent, 'drain')
    if ((await Promise.race([drained, stop]).catch(() => 'stop')) === 'stop') return
  }
  sent.end()
}

/** Repeats `check` until it passes. Throws its last error. */
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
