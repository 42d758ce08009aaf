/** The longest body that is read. Those of the routes are far smaller. */
export const MAX_BODY_BYTES = 4_096

/** An incoming request, as each host adapter gives it. */
export interface IncomingRequest {
  readonly method: string
  /**
   * Path and query as the host passes them on: `/meetings?limit=5`. Some hosts take the path of the mount
   * away.
   */
  readonly url: string
  /** The same from the root of the server: `/api/voice/meetings?limit=5`. */
  readonly urlFromRoot: string
  /** The host's own request object. Only `authorize` gets it. */
  readonly hostRequest: unknown
  /** Value of a header, or `undefined`. `name` is in lower case. */
  header(name: string): string | undefined
  /** The origin under which the request reached this server, or `undefined` if it is not known. */
  ownOrigin(): string | undefined
  /** True if both ends of the connection have a loopback address. False if the host does not say. */
  isOnLoopback(): boolean
  body(): IncomingBody
  /**
   * Adds headers to the response, also to one that the host sends in place of the BFF. `Vary` is joined with
   * one that is there.
   */
  addHeaders(headers: Readonly<Record<string, string>>): void
  /** True if the host has sent a response in place of the BFF. */
  isAnswered(): boolean
  /**
   * Calls `listener` if the client closes the connection before its response is complete; at once if it has
   * closed it already.
   */
  onClose(listener: () => void): void
}

/** The body as the host left it. */
export type IncomingBody =
  /** `read` resolves with `undefined` if the body is longer than `maxBytes`. */
  | { readonly state: 'stream'; read(maxBytes: number): Promise<string | undefined> }
  | { readonly state: 'parsed'; readonly value: unknown }
  /** Other code has read it and did not keep it. */
  | { readonly state: 'consumed' }
