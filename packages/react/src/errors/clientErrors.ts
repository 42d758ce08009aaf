import type { BffErrorCode, HandshakeErrorCode } from '@stagepass/contract'

// Bundlers replace this expression.
declare const process: { readonly env: { readonly NODE_ENV?: string } }
const isDevelopment = process.env.NODE_ENV !== 'production'

interface ClientErrorRow {
  readonly retryable: boolean
  /** For the person at the screen. */
  readonly title: string
  /** The cause, and what a developer can do. Markdown. `false` in production. */
  readonly hint: string | false
}

/** Errors that the browser itself finds. No response has such a code. */
export const CLIENT_ERRORS = {
  NETWORK_ERROR: {
    retryable: true,
    title: 'The server could not be reached. Check your connection.',
    hint:
      isDevelopment &&
      "If the first request went to another origin, the console says so once, in development: the browser does not tell a page whether CORS was the reason. Check the network. The hooks retry by themselves, and at once when the browser is online again. Developer: if `url` is on another origin, let the dev server proxy the BFF's path, or list the page's origin in `allowedOrigins`.",
  },
  /**
   * Something other than the BFF responded: a wrong mount, a missing proxy, a gateway. Retryable if the
   * status says that the server has a problem.
   */
  NOT_STAGEPASS: {
    retryable: false,
    title: 'The voice service is not set up on this site. Ask the operator of this site to check it.',
    hint:
      isDevelopment &&
      "Something else responded in place of the BFF. Often it is the fallback page of a router, a service worker, a login page (“a redirect”), or a dev server without a proxy. The error has the status of the response; with a 5xx, 408 or 429 it is retryable. Developer: open that address. Compare `url` in `createVoiceClient` with where the BFF is mounted, and check that your proxy or dev server passes the path on to it. Vite passes a path on with `server: { proxy: { '/api/voice': { target: 'http://localhost:3000', changeOrigin: false } } }`: with `changeOrigin` the BFF would see another host than the page's, and refuse (CROSS_SITE_BLOCKED).",
  },
  MALFORMED_RESPONSE: {
    retryable: false,
    title: "The server's response could not be read. Ask the operator of this site to check it.",
    hint:
      isDevelopment &&
      'The response is JSON, but a field that the hooks need is missing, or the address of the stream is not a `ws:` or `wss:` URL. Developer: update `@stagepass/react` and `@stagepass/bff` to the same version, and check the proxies between them. For the address check `streamingUrl` of the BFF.',
  },
  TOKEN_MISMATCH: {
    retryable: false,
    title: 'The server gave access to something else. Ask the operator of this site to check it.',
    hint:
      isDevelopment &&
      'The response had a token whose `type` is not `session`, or a token for another product. Developer: check which server responds at `url`.',
  },
  TOKEN_EXPIRED: {
    retryable: true,
    title: 'The access expired before it could be renewed. It is requested again.',
    hint:
      isDevelopment &&
      'The token had expired before it arrived, for example because the machine slept. The hook keeps requesting.',
  },
  CONNECT_TIMEOUT: {
    retryable: true,
    title: 'The connection took too long. It is tried again.',
    hint:
      isDevelopment &&
      "The handshake did not finish within `connectTimeoutMs`, or the service did not say that it is ready within the codec's `readyTimeoutMs`. The stream tries again. If that does not help, check the network between the page and the service.",
  },
  CONNECTION_REFUSED: {
    retryable: true,
    title: 'The connection could not be made. Check your network, or try another one.',
    hint:
      isDevelopment &&
      "The handshake failed, and the handshake check through the BFF gave no code for it. The error is final if the BFF has no `/handshake-check`. It is also final, and comes at once, if the page's Content-Security-Policy forbids the connection, or if the constructor of the WebSocket throws. Then the text above names the reason, and the entry to add to `connect-src`. Developer: check the network, a proxy that forbids WebSockets, the page's content security policy (`connect-src`), and `streamingUrl` of the BFF.",
  },
  CONNECTION_LOST: {
    retryable: true,
    title: 'The connection was lost. It will be restored.',
    hint:
      isDevelopment &&
      'The stream reconnects with a live token and sends what is in its queue. Do nothing. If it happens often, check the network.',
  },
  /** Retryable if the service's number is a 5xx. `/handshake-check` reports it too. */
  STREAM_ERROR: {
    retryable: false,
    title: 'The voice service ended the connection with an error.',
    hint:
      isDevelopment &&
      "The service refused the handshake, or ended the stream, with an error other than the four handshake codes: 400 (the configuration), 402 (the balance), or a 5xx. With a 5xx it is retryable, and it says nothing about the token. Developer: `status` is the service's number. `cause.message` holds the service's text, if the browser itself received it. For a refused upgrade only the number is known.",
  },
  ABORTED: {
    retryable: true,
    title: 'The request was cancelled.',
    hint:
      isDevelopment &&
      'Its component was unmounted, its filter changed, or its user changed. On a server every token request is cancelled. In the last two cases the error is final. Do nothing.',
  },
} as const satisfies Readonly<Record<string, ClientErrorRow>>
/** The closed union of codes that a `VoiceError` can carry. */
export type VoiceErrorCode = BffErrorCode | HandshakeErrorCode | keyof typeof CLIENT_ERRORS
