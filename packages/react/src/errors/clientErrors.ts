import type { BffErrorCode, HandshakeErrorCode, Hints } from '@stagepass/contract'

const isDevelopment = process.env.NODE_ENV !== 'production'

interface ClientErrorRow {
  readonly retryable: boolean
  /** For the person at the screen. */
  readonly title: string
  /**
   * The cause, and what a developer can do; with several causes, a text for each. Markdown. `false` in
   * production.
   */
  readonly hint: string | Hints | false
}

/** Errors that the browser itself finds. No response has such a code. */
export const CLIENT_ERRORS = {
  NETWORK_ERROR: {
    retryable: true,
    title: 'The server could not be reached. Check your connection.',
    hint: isDevelopment && {
      offline:
        'The browser says that it is offline. Check the network. The hooks go on trying, and at once when it is online again.',
      timeout:
        '{url} did not respond within {limit} ms. Check that the server runs, and that no proxy holds the response back.',
      elsewhere:
        'No request has reached {url}, on another origin than the page ({page}). The browser does not say if CORS or an extension (an ad blocker) was the reason. Let the dev server proxy its path, or name the page in `allowedOrigins` of createBff().',
      headers: 'The `headers` function of createVoiceClient threw: {thrown}. Let it return headers, or none.',
      headerForm:
        'The `headers` of createVoiceClient cannot be sent: {problem}. Give an object of names and values, and encode text that is not Latin with encodeURIComponent().',
      otherwise:
        'The browser got no response. Check that the server runs, the network, and that no extension of the browser (an ad blocker) blocks the request: try a private window. The hooks go on trying.',
    },
  },
  /**
   * Something other than the BFF responded: a wrong mount, a missing proxy, a gateway. Retryable if the
   * status says that the server has a problem, or if the BFF has responded before.
   */
  NOT_STAGEPASS: {
    retryable: false,
    title: 'The voice service is not set up on this site. Ask the operator of this site to check it.',
    hint: isDevelopment && {
      fallback:
        '{url} responded with {status} and a page of HTML: the fallback page of a router or a dev server, or a service worker. Pass this path on to the BFF (Vite: `server.proxy`, with changeOrigin: false), and compare it with the mount.',
      page: '{url} responded with {status} and a page of HTML, not of Stagepass. Open that address. Compare `url` of createVoiceClient with the mount of the BFF, and check the proxies in front of it.',
      gateway:
        '{url} responded with {status} {type}, not of Stagepass: a gateway or proxy answers for the server, which may be down or too slow. The hooks go on trying.',
      missing:
        'Nothing is at {url} ({status} {type}). Compare `url` of createVoiceClient with the mount of the BFF, and check that the proxy or dev server passes the path on unchanged.',
      other:
        '{url} responded with {status} {type}, which is not from Stagepass. Open that address. Compare `url` of createVoiceClient with the mount of the BFF.',
      otherwise:
        'Something else responded in place of the BFF. Compare `url` of createVoiceClient with the mount of the BFF.',
    },
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
    hint: isDevelopment && {
      policy:
        'The Content-Security-Policy of this page forbids connections to {origin}. Add {origin} to its connect-src.',
      browser:
        'The browser, or one of its extensions, blocked the connection to {origin}: the WebSocket constructor threw. Look for an ad blocker, a privacy setting, or a ws: address on an https: page.',
      'no-check':
        'The handshake failed, and the BFF has no `/handshake-check` that could say why. Update `@stagepass/bff`, and check that a proxy passes this path on.',
      accepted:
        'The handshake failed here, and the same handshake from the BFF was accepted. So something on the side of the page blocks it: a proxy, a VPN or an extension that forbids WebSockets, or `connect-src`.',
      otherwise:
        'The handshake failed, and a browser does not say why. The stream tries a fresh token, then asks the BFF to try the handshake, which finds the code. If it finds none, an extension of the browser (an ad blocker) or a proxy may block WebSockets.',
    },
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
      'Its component was unmounted, or its filter or its user changed. Do nothing. After a change of user the error is final. It is final on a server too, which requests no tokens.',
  },
} as const satisfies Readonly<Record<string, ClientErrorRow>>
/** The closed union of codes that a `VoiceError` can carry. */
export type VoiceErrorCode = BffErrorCode | HandshakeErrorCode | keyof typeof CLIENT_ERRORS
