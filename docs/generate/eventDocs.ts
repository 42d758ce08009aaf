import type { BffEvent } from '../../packages/bff/src/index.js'

/** What each event of the BFF says. A new event without a text does not compile. */
const EVENT_DOCS = {
  'request.finished':
    "a response was sent: its route, status, duration and code. `via: 'server'`: it was [server code](#server-code)",
  'request.abandoned': 'the client left before the response, or server code aborted its call',
  'gate.blocked': 'the gate refused a request. `sameOrigin`: a page of this site sent it',
  'authorize.failed': '`authorize` threw, was too slow, or returned something that is not a grant',
  'login.refused': '`fromJwt` refused a token: `reason` is the claim, and `problem` what was expected',
  'grant.refused': 'a request wanted more than its grant allows',
  'token.minted':
    'the service issued a token of this user, with `reqId` to quote to its support and `keyId`, its number of the API key',
  'limit.exceeded': 'a user exceeded `limits`',
  'usage.settled': 'the minutes that a token has cost',
  'usage.exhausted': 'too few minutes are left for a token, `of` the user or the account, `per` day or month',
  'usage.threshold': 'the tokens of a user or of an account have reached 80 or 100 % of a limit; each once',
  'host.misconfigured':
    '`allowedOrigins`, `basePath`, `origin`, `baseUrl` or `meetings.baseUrl` is probably missing or wrong; each once in ten minutes',
  'upstream.called': 'a request to the service, or a handshake, has ended',
  'upstream.retried':
    'a request to the service is sent again: after a backoff, or at once if its connection was lost',
  'upstream.rate-limited': 'the meetings interface responded with 429; all instances of the account pause',
  'budget.refused': 'a request got no slot in time',
  'budget.limit': 'the budget uses fewer slots after a 429, or all of them again',
  'budget.store': 'Redis was lost, is back, or has lost its state',
  'meeting.unreadable':
    'the service sent a value that cannot be read as its [type](../../docs/assumptions.md#meeting-fields): `field`, `kind` and `count`; at most once a minute for each',
  'secret.rejected': 'the service refused a secret',
  'secret.renewed': 'the function of a refused secret was called again. `changed`: it returned another value',
  'secret.failed': 'the function of a secret threw, was too slow, or returned no secret',
  'page.vitals': 'what a page measured, with the option [`vitals`](../../docs/vitals.md)',
  'session.queued': 'no session of the account is free, so a page waits. Its later requests have no event',
  'session.leased': 'a page may open a session. `waitedMs`: time since its request',
  'session.released': 'a page has closed its session',
  'session.ended': '`bff.end` was called, or `maxSessionMinutes` are over',
  'sessions.limit': 'the number of sessions has changed. `foreign-use`: another program uses the account',
  'sessions.store': 'Redis was lost, is back, or has lost the sessions',
  'drain.started': '`close()` began, with this number of open requests',
  'drain.finished': '`close()` ended, and this number of requests was cancelled',
} as const satisfies Record<BffEvent['type'], string>

export const EVENT_LIST = Object.entries(EVENT_DOCS)
  .map(([type, text]) => `- \`${type}\`: ${text}`)
  .join('\n')
