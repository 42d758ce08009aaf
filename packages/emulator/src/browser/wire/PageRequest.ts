import type { EncodedBody } from '../../core/request/http.js'

/** A request as it arrives at a server in the page. */
export interface PageRequest {
  readonly method: string
  readonly url: URL
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly signal: AbortSignal | undefined
}

/** What a server in the page sends. */
export interface PageResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: EncodedBody
  /** The page has read the body to its end, or has left it. */
  readonly onRead?: ((isWhole: boolean) => void) | undefined
  /** Calls back if the server drops the connection. */
  readonly onDrop?: ((listener: () => void) => void) | undefined
}

/** Rejects if there is no response. */
export type Serve = (request: PageRequest) => Promise<PageResponse>

/** Reads what a caller of `fetch` gave. */
export async function readRequest(input: RequestInfo | URL, init: RequestInit = {}): Promise<PageRequest> {
  const given = typeof input === 'object' && 'url' in input ? input : undefined
  const headers = new Headers(init.headers ?? given?.headers)
  const body = init.body === undefined || init.body === null ? undefined : new Response(init.body)
  const type = body?.headers.get('content-type')
  if (type && !headers.has('content-type')) headers.set('content-type', type)
  const bytes = await (body ?? given?.clone())?.arrayBuffer()
  return {
    method: (init.method ?? given?.method ?? 'GET').toUpperCase(),
    url: new URL(given?.url ?? (input as string | URL), globalThis.location?.href),
    headers: Object.fromEntries(headers),
    body: new Uint8Array(bytes ?? []),
    signal: init.signal ?? given?.signal ?? undefined,
  }
}
