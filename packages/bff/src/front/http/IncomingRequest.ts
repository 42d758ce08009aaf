import { SIZES } from '@stagepass/contract'

/** The longest body of most routes. Their bodies are much shorter. */
export const MAX_BODY_BYTES = 4_096

/**
 * The longest body of any route: one with the longest session token. JSON may write a character of a token
 * with two.
 */
export const MAX_TOKEN_BODY_BYTES = 2 * SIZES.sessionKey + 1_024

/** An incoming request, in the form that each host adapter provides. */
export interface IncomingRequest {
  readonly method: string
  /** Path and query from the host: `/meetings?limit=5`. Some hosts remove the mount path. */
  readonly url: string
  /** Path and query from the root of the server: `/api/voice/meetings?limit=5`. */
  readonly urlFromRoot: string
  /** The host's own request object. Only `authorize` gets it. */
  readonly hostRequest: unknown
  /** Value of a header, or `undefined`. `name` is in lower case. */
  header(name: string): string | undefined
  /** The origin under which the request reached this server, or `undefined` if it is not known. */
  ownOrigin(): string | undefined
  /** True if both ends of the connection have a loopback address. False if this is not known. */
  isOnLoopback(): boolean
  body(): IncomingBody
  /**
   * Adds headers to the response, even if the host sends the response instead of the BFF. `Vary` is added to
   * an existing `Vary`.
   */
  addHeaders(headers: Readonly<Record<string, string>>): void
  /** True if the host has sent its own response. */
  isAnswered(): boolean
  /**
   * Calls `listener` if the client closes the connection before the response is complete. If it is already
   * closed, calls it at once.
   */
  onClose(listener: () => void): void
}

/** The body as the host left it. */
export type IncomingBody =
  /**
   * `read` resolves with `undefined` if the body is longer than `maxBytes`. `begun`: other code has begun to
   * read it, so its beginning may be missing.
   */
  | { readonly state: 'stream'; readonly begun: boolean; read(maxBytes: number): Promise<string | undefined> }
  | { readonly state: 'parsed'; readonly value: unknown }
  /** Other code has read the body and did not keep it. */
  | { readonly state: 'consumed' }
