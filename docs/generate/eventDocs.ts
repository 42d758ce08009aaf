import type { BffEvent } from '../../packages/bff/src/index.js'

/** What each event of the BFF says. A new event without a text does not compile. */
const EVENT_DOCS = {
  'request.finished':
    "a response was sent: its route, status and duration, and for an error its code and what was seen. `via: 'server'`: [server code](#server-code) asked",
  'request.abandoned': 'the client left before the response, or server code aborted its call',
  'gate.blocked': 'the gate refused a request. `sameOrigin`: a page of this site sent it',
  'authorize.failed': '`authorize` threw, was too slow, or returned something that is not a grant',
  'grant.refused': 'a request wanted more than its grant allows',
  'limit.exceeded': 'a user exceeded `limits`',
  'usage.settled': "what a token has cost of its user's minutes",
  'usage.exhausted': 'a user has too few minutes left for a token',
  'host.misconfigured':
    '`allowedOrigins`, `basePath`, `origin`, `baseUrl` or `meetings.baseUrl` is probably missing or wrong; each problem once in ten minutes',
  'upstream.called': 'a request to the service, or a handshake, has ended',
  'upstream.retried':
    'a request to the service is sent again, after a backoff, or at once if its connection was lost',
  'upstream.rate-limited': 'the meetings interface responded with 429; all instances of the account pause',
  'budget.refused': 'a request got no slot in time: the `reason`, and when to ask again',
  'budget.limit':
    'the budget uses fewer slots after a 429 (`foreign-use`: another program uses the account), or all of them again (`recovered`)',
  'budget.store':
    'Redis was lost (the instance goes on with a part of the limit), is back, or has lost its state (all wait for a window)',
  'meeting.unreadable':
    'the service sent a value that cannot be read as its [type](../../docs/assumptions.md#meeting-fields): `field`, `kind` and `count`, never the value; at most once a minute for each',
  'secret.rejected': 'the service refused a secret',
  'secret.renewed': 'the function of a refused secret was called again. `changed`: it returned another value',
  'secret.failed':
    'the function of a secret threw, was too slow, or returned something that cannot be a secret',
  'drain.started': '`close()` began, with the number of requests that are not answered yet',
  'drain.finished': '`close()` ended, with the number of requests that were cancelled',
} as const satisfies Record<BffEvent['type'], string>

export const EVENT_LIST = Object.entries(EVENT_DOCS)
  .map(([type, text]) => `- \`${type}\`: ${text}`)
  .join('\n')
