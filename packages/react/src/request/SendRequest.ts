/** What is known when headers are needed. */
interface HeadersRequest {
  /**
   * True if the server has just refused the headers with a 401: the access token has to be renewed. The
   * request is then sent once more.
   */
  readonly refused: boolean
}

/**
 * Headers for each request, or a function that is called before each request. Use them for the application's
 * own login.
 */
export type HeadersProvider = HeadersInit | ((request: HeadersRequest) => HeadersInit | Promise<HeadersInit>)

/** One request to the BFF. */
export interface RequestOptions<TResult> {
  /** Name of the route, for events: a path without the user's values. */
  readonly route: string
  /** Path under the mount, with its query. Default: `route`. */
  readonly path?: string | undefined
  /** Sent as JSON by POST. Without it the request is a GET. */
  readonly json?: unknown
  /** Default: POST with `json`, otherwise GET. */
  readonly method?: 'DELETE' | undefined
  /** Default: `application/json`. */
  readonly accept?: string | undefined
  /** Bypasses the BFF's cache. */
  readonly noCache?: boolean | undefined
  /**
   * The request continues after its page has gone, and is sent although its user has left: then with the
   * headers of that user's last request.
   */
  readonly keepalive?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  /** Reads the JSON object of a 2xx response. `undefined` if it is not what the route promises. */
  readonly read?: (body: Record<string, unknown>) => TResult | undefined
}

/**
 * Resolves with what `read` returns; without it, with the JSON object of a 2xx response, empty for a 204.
 * Rejects only with a `VoiceError`.
 */
export type SendRequest = <TResult = Record<string, unknown>>(
  request: RequestOptions<TResult>,
) => Promise<TResult>
