import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

/** What ended a request whose body never came to its end. */
export interface UnfinishedResult {
  /** `silent`: nothing happened in the time. `closed`: the connection ended without a response. */
  readonly type: 'response' | 'closed' | 'silent'
  readonly status: number
  readonly text: string
  readonly tookMs: number
}

const MAX_LENGTH = 65_536

/** Sends the head of a POST and one byte of its body, then waits. */
export function sendUnfinished(
  url: URL,
  headers: Readonly<Record<string, string>>,
  withinMs: number,
  signal: AbortSignal,
): Promise<UnfinishedResult> {
  const startMs = performance.now()
  const sent = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'content-length': '40' },
    agent: false,
  })
  return new Promise((resolve, reject) => {
    const end = (type: UnfinishedResult['type'], status = 0, text = ''): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      sent.destroy()
      resolve({ type, status, text, tookMs: performance.now() - startMs })
    }
    const onAbort = (): void => {
      // The first settles.
      reject(signal.reason)
      end('silent')
    }
    const timer = setTimeout(() => end('silent'), withinMs)
    signal.addEventListener('abort', onAbort, { once: true })
    sent.on('error', () => end('closed'))
    sent.on('response', (response) => {
      let text = ''
      const finish = (): void => end('response', response.statusCode, text)
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        if (text.length > MAX_LENGTH) finish()
      })
      response.once('end', finish)
      response.once('error', finish)
    })
    sent.write('{')
  })
}
