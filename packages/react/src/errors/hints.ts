import type { VoiceErrorCode } from '@stagepass/contract'

/**
 * What a developer or an operator does about each code: the last part of its section in docs/errors.md, which
 * a test compares. Only development builds contain this file.
 */
export const HINTS: Readonly<Record<VoiceErrorCode, string>> = {
  VALIDATION_ERROR:
    'Developer: correct the field. `expiration_ttl` is in minutes, 5 to 300 (`vt`: 1440). `session_id` has at most 255 characters. `limit` is 1 to 100. `from` must not be after `to`. A meeting id has no `/`, `\\`, `?`, `#`, control character or dot segment, also if it is decoded again. Unknown and repeated parameters are refused. `fields` can name the fields of a meeting and those of `meetings.wire.extraFields`.',
  AUTH_HEADER_MISSING:
    'Operator: check whether a proxy between the BFF and the service removes `Authorization`. The BFF always sends it.',
  AUTH_API_KEY_INVALID:
    'Operator: check `apiKey` and its state in the developer portal. If `apiKey` is a function, the BFF has already called it again, and has tried once more if it returned another key.',
  AUTH_API_KEY_EXPIRED:
    'Operator: create a new key and give it to `apiKey`. If `apiKey` is a function, the BFF calls it again by itself. A string needs a restart.',
  AUTH_NO_LICENSE: 'Operator: assign a license in the developer portal.',
  PRODUCT_NOT_ALLOWED:
    'Operator: check the plan. Developer: do not offer a product that the plan does not have. If `products` in the grant leaves it out, the BFF refuses it earlier, with `FORBIDDEN`.',
  PAYMENT_PAST_DUE: 'Operator: pay the invoice.',
  BALANCE_EXHAUSTED: 'Operator: add credit.',
  SPEND_CAP_REACHED: 'Operator: raise the limit, or wait for the next month.',
  USAGE_LIMIT_EXCEEDED: 'Operator: extend the plan.',
  VT_USAGE_LIMIT_EXCEEDED: 'Operator: extend the plan.',
  CACHE_UNAVAILABLE: 'Do nothing: clients retry after `Retry-After`. The hook keeps using the current token.',
  SERVICE_UNAVAILABLE: 'Operator: the log and the event with the same `request_id` have the exact code.',
  NOT_FOUND:
    "Developer: in development the server's log says which. If the host leaves the path of the mount in the path of a request, set `basePath`. The key holder cannot see a meeting that is shared only by a public link or with a whole workspace.",
  MEETING_PROCESSING: 'Do nothing: `useMeeting` sends the request again after `Retry-After`.',
  MEETINGS_CREDENTIAL_REJECTED: 'Operator: check `meetings.credential` in what `authorize` returns.',
  UPSTREAM_RATE_LIMITED:
    'Operator: see scaling. `meetings.reserve` leaves room for known programs. The event `budget.limit` with the reason `foreign-use` reports unknown ones.',
  UPSTREAM_ERROR: "Operator: give `req_id` to the service's support.",
  UPSTREAM_TIMEOUT: 'Wait. If it stays, operator: check the state of the service and the network to it.',
  UPSTREAM_UNREACHABLE:
    'Operator: check `baseUrl`, `streamingUrl`, `meetings.baseUrl`, DNS and the firewall.',
  UPSTREAM_MALFORMED:
    'Operator: check that the addresses name the service itself, and not a page in front of it. For a path that is not there, the event `host.misconfigured` names `baseUrl` or `meetings.baseUrl`; the paths of the meetings interface are in `meetings.wire`.',
  UNAUTHENTICATED:
    'Developer: sign the user in. If that is done, check that the page sends the cookie or header of the login, and that `authorize` reads it. The BFF never redirects.',
  FORBIDDEN: 'Developer: allow it in what `authorize` returns, or do not offer it.',
  USER_CHANGED:
    'Developer: ask for the session again or reload the page. The header must name the `user` of the grant, character by character. users.md has an example.',
  USAGE_EXHAUSTED:
    'Developer: show `resetsAt` of `useUsage`, and offer the next step. usage.md says what counts.',
  USAGE_UNAVAILABLE: 'Developer: none; the hooks try again. Operator: bring Redis back.',
  CROSS_SITE_BLOCKED:
    "Developer: use the hooks, or send the header. If the page is on another origin, let the dev server proxy the BFF's path, or name the origin in `allowedOrigins`, with the exact scheme, host and port. Behind a proxy set the option `origin` or Express's `trust proxy`.",
  AUTHORIZE_FAILED:
    'Back-end developer: the log and the event with the same `request_id` give the reason. The `cause` of the event is what `authorize` threw.',
  SECRET_UNAVAILABLE: 'Operator: check the secret store.',
  RATE_LIMITED:
    'Do nothing: clients wait for `Retry-After`. Developer: the usual cause is a loop in the page.',
  BUDGET_EXHAUSTED:
    'Do nothing: clients wait for `Retry-After`, which is an estimate of the real wait. Operator: see scaling.',
  SHUTTING_DOWN: 'Do nothing: clients retry and reach another instance.',
  METHOD_NOT_ALLOWED:
    'Developer: use POST for tokens and checks, and GET for the rest. HEAD is refused, because it would cost an upstream request. Only `/health` takes it.',
  UNSUPPORTED_MEDIA_TYPE: 'Developer: set `Content-Type`.',
  PAYLOAD_TOO_LARGE: 'Developer: send a smaller body. No route needs one of this size.',
  REQUEST_TIMEOUT: 'Try again. If it stays, check the network.',
  INTERNAL_ERROR: 'Please report it with the event of the same `request_id`.',
  missing_authorization_header: 'Check whether a proxy removes the query. The hooks always send it.',
  invalid_api_key: 'Check what changes the query on the way. The hooks send the scheme.',
  unauthorized: 'Developer: if it stays, check that `streamingUrl` and `baseUrl` belong to the same service.',
  concurrency_limit_exceeded:
    'Close a stream, in this page or in another. The hook tries again with a growing backoff, and fails after 30 failures in a row (`reconnect.maxAttempts`).',
  NETWORK_ERROR:
    "Check the network. The hooks retry by themselves, and at once when the browser is online again. Developer: if `url` is on another origin, let the dev server proxy the BFF's path, or list the page's origin in `allowedOrigins`.",
  NOT_STAGEPASS:
    "Developer: open that address. Compare `url` in `createVoiceClient` with where the BFF is mounted, and check that your proxy or dev server passes the path on to it. Vite passes a path on with `server: { proxy: { '/api/voice': { target: 'http://localhost:3000', changeOrigin: false } } }`: with `changeOrigin` the BFF would see another host than the page's, and refuse (CROSS_SITE_BLOCKED).",
  MALFORMED_RESPONSE:
    'Developer: update `@stagepass/react` and `@stagepass/bff` to the same version, and check what stands between them. For the address check `streamingUrl` of the BFF.',
  TOKEN_MISMATCH: 'Developer: check which server responds at `url`.',
  TOKEN_EXPIRED: 'The hook keeps requesting.',
  CONNECT_TIMEOUT: 'The stream tries again. If it stays, check the network between the page and the service.',
  CONNECTION_REFUSED:
    "Developer: check the network, a proxy that forbids WebSockets, the page's content security policy (`connect-src`), and `streamingUrl` of the BFF.",
  CONNECTION_LOST: 'Do nothing. If it happens often, check the network.',
  STREAM_ERROR:
    "Developer: `status` is the service's number. `cause.message` holds the service's text, if the browser itself received it. For a refused upgrade only the number is known.",
  ABORTED: 'Do nothing.',
}
