import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'

export interface RawRequest {
  readonly method?: string | undefined
  /** Sent as it is: `fetch` would resolve dot segments and escape some characters. */
  readonly path: string
  readonly headers?: OutgoingHttpHeaders | undefined
  readonly body?: string | undefined
}

export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/**
 * A request exactly as given: `fetch` forbids Host, Origin, Cookie and Sec-Fetch-Site, and rewrites paths.
 */
export function rawRequest(
  origin: string,
  { method = 'GET', path, headers, body }: RawRequest,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
