import type { BffErrorCode } from '@stagepass/contract'
import { LRUCache } from 'lru-cache'
import { atMost } from '../platform/atMost.js'
import type { BffEvent } from '../events/events.js'
import type { Clock } from '../platform/platform.js'
import { isDevelopment, REFUSALS } from './refusals.js'

/** Where the lines for an operator go: `console`, and most loggers. */
export interface BffLogger {
  warn(line: string): unknown
  error(line: string): unknown
}

interface Line {
  readonly level: keyof BffLogger
  /** Error code, or type of the event: there is a section or a table for each. */
  readonly name: string
  /**
   * What was seen, and what to do. It holds no user, no secret and nothing that a browser or the service
   * wrote, but for checked names.
   */
  readonly text: string
  /** Lines with the same name that are not the same problem. Few values. */
  readonly detail?: string | undefined
}

type Finished = Extract<BffEvent, { type: 'request.finished' }>

/** A line of the same name and detail is written once in this time. */
const WRITE_AGAIN_MS = 60_000

/** Kinds of lines that were written lately. */
const MAX_WRITTEN = 1_000

/**
 * Writes what an operator must act on: one line for each problem, at most once a minute. In development also
 * why requests were refused. It takes every event.
 */
export function createLog(logger: BffLogger, clock: Clock): (event: BffEvent) => unknown {
  const written = new LRUCache<string, true>({
    ...atMost(MAX_WRITTEN),
    ttl: WRITE_AGAIN_MS - 1,
    ttlResolution: 0,
    perf: clock,
  })
  /** The request that was explained last: its other events would say the same again. */
  let explained: string | undefined
  let lastFailure: { readonly requestId: string; readonly name: string } | undefined

  return (event) => {
    const requestId = 'requestId' in event ? event.requestId : undefined
    if (event.type === 'upstream.called' && event.failure !== undefined)
      lastFailure = { requestId: event.requestId, name: event.failure }
    if (requestId !== undefined && requestId === explained) return undefined
    const line = lineOf(event, lastFailure?.requestId === requestId ? lastFailure?.name : undefined)
    if (!line) return undefined
    explained = requestId
    const { level, name, text, detail = '' } = line
    const kind = `${name} ${detail}`
    if (written.has(kind)) return undefined
    written.set(kind, true)
    return logger[level](
      `[stagepass] ${name}: ${text}${requestId === undefined ? '' : ` (request ${requestId})`}`,
    )
  }
}

/** `failure`: the system's name for a failed connection of the same request. */
function lineOf(event: BffEvent, failure: string | undefined): Line | undefined {
  switch (event.type) {
    case 'host.misconfigured':
      return { level: 'warn', name: event.type, text: event.problem, detail: event.option }
    case 'gate.blocked':
      // A page of this site was blocked: something drops a header, or `origin` is wrong. What other sites
      // send is no problem here.
      return event.sameOrigin || isDevelopment()
        ? { level: 'warn', name: 'CROSS_SITE_BLOCKED', text: REFUSALS[event.reason], detail: event.reason }
        : undefined
    case 'authorize.failed':
      return {
        level: 'error',
        name: 'AUTHORIZE_FAILED',
        text: event.problem + (thrownHere(event) ?? thrown(event)),
      }
    case 'secret.failed':
      return {
        level: 'error',
        name: 'SECRET_UNAVAILABLE',
        text: `"${event.secret}" cannot be used: ${event.problem}. Check the secret store.${thrown(event)}`,
        detail: event.secret,
      }
    case 'budget.store':
      if (event.reason !== 'lost') return undefined
      return {
        level: 'error',
        name: event.type,
        text: `Redis does not respond. This instance goes on with at most ${event.limit} requests in a window of the rate limit. Check Redis and the network to it.`,
      }
    case 'grant.refused':
      return isDevelopment()
        ? { level: 'warn', name: 'FORBIDDEN', text: NOT_GRANTED[event.what], detail: event.what }
        : undefined
    case 'request.finished':
      return finishedLine(event, failure)
    default:
      return undefined
  }
}

function finishedLine({ errorCode, route }: Finished, failure: string | undefined): Line | undefined {
  if (errorCode === undefined) return undefined
  const forOperator = FOR_OPERATORS[errorCode]
  if (forOperator !== undefined) {
    const reason = errorCode === 'UPSTREAM_UNREACHABLE' && failure !== undefined ? ` (${failure})` : ''
    const text = forOperator
      .replace('{option}', `"${OPTIONS[route] ?? 'meetings.baseUrl'}"`)
      .replace('{reason}', reason)
    return { level: 'error', name: errorCode, text, detail: route }
  }
  const forDeveloper = FOR_DEVELOPERS[errorCode]
  return forDeveloper !== undefined && isDevelopment()
    ? { level: 'warn', name: errorCode, text: forDeveloper, detail: route }
    : undefined
}

/** The class of what the host's own code threw. Its message may hold anything. */
function thrown({ cause }: { readonly cause?: unknown }): string {
  if (cause === undefined) return ''
  const name =
    cause instanceof Error && /^\w{1,40}$/.test(cause.name) ? ` It is of the class ${cause.name}.` : ''
  return ` What was thrown is the "cause" of this event in onEvent.${name}`
}

/** The same for a developer: the message, and the first line of the stack. */
function thrownHere({ cause }: { readonly cause?: unknown }): string | undefined {
  if (!isDevelopment() || !(cause instanceof Error)) return undefined
  const at = /^ *(at .+)/m.exec(cause.stack ?? '')?.[1] ?? ''
  return ` ${cause.name}: ${cause.message} ${at}`.replaceAll(/\s+/g, ' ').slice(0, 600).trimEnd()
}

/** Options with the address of what a route asks. */
const OPTIONS: Readonly<Record<string, string>> = {
  'session-token': 'baseUrl',
  'handshake-check': 'streamingUrl',
}

const ACCOUNT =
  'The account of the voice service has an open invoice or nothing left. Look at it in the developer portal.'

/**
 * Codes that stay until an operator acts. Those of `authorize` and of a secret's function have events of
 * their own.
 */
const FOR_OPERATORS: Readonly<Partial<Record<BffErrorCode, string>>> = {
  AUTH_HEADER_MISSING:
    'The voice service got no API key. Check that no proxy on the way to {option} removes Authorization.',
  AUTH_API_KEY_INVALID:
    'The voice service refused "apiKey". Check that it is a key of the service at {option}, and its state in the developer portal.',
  AUTH_API_KEY_EXPIRED: '"apiKey" has expired. Create a new key in the developer portal.',
  AUTH_NO_LICENSE: 'The API key has no license. Assign one in the developer portal.',
  PRODUCT_NOT_ALLOWED:
    'The plan does not have this product. Change the plan, or leave the product out of "products" in the grant.',
  PAYMENT_PAST_DUE: ACCOUNT,
  BALANCE_EXHAUSTED: ACCOUNT,
  SPEND_CAP_REACHED: ACCOUNT,
  USAGE_LIMIT_EXCEEDED: ACCOUNT,
  VT_USAGE_LIMIT_EXCEEDED: ACCOUNT,
  MEETINGS_CREDENTIAL_REJECTED:
    'The voice service refused "meetings.credential" of a grant. Return a valid one that has the scope "read"; it is not the API key.',
  UPSTREAM_UNREACHABLE:
    'The voice service could not be reached{reason}. Check {option}, DNS, the firewall and the certificates.',
  UPSTREAM_TIMEOUT:
    'The voice service did not answer within "deadlineMs". Check {option} and the network to it.',
  UPSTREAM_MALFORMED:
    'What answered is not the voice service, or is of another form. Check that {option} is the address of the service itself, not of a page or proxy in front of it; for meetings, check "meetings.wire" too.',
  UPSTREAM_ERROR:
    'The voice service answered with an error that has no meaning here. The event upstream.called has its status.',
  USAGE_UNAVAILABLE:
    'The minutes of a user could not be counted, so there was no token. Check that Redis responds, has memory, and that its user may write; without Redis, one process counts 100,000 users of a product in a day. The "cause" of this event in onEvent says more.',
  INTERNAL_ERROR: 'This is a defect of the BFF. Please report it with the "cause" of this event in onEvent.',
}

/** Why a request was refused. An operator needs none of them. */
const FOR_DEVELOPERS: Readonly<Partial<Record<BffErrorCode, string>>> = {
  UNAUTHENTICATED: REFUSALS.authorize,
  USER_CHANGED:
    'The page names another user than the grant. Give VoiceProvider the "user" that "authorize" returns, character by character.',
  NOT_FOUND:
    'There is nothing at this address. Check "url" of createVoiceClient and where the BFF is mounted; of a meeting, check if the credential may see it.',
  METHOD_NOT_ALLOWED: 'The route takes another method. The header Allow of the response names it.',
  VALIDATION_ERROR: 'A part of the request is not valid. "field" of the response names it.',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not JSON. Send it with Content-Type: application/json.',
  PAYLOAD_TOO_LARGE: 'The body is larger than 4 KiB. No route needs one of this size.',
  RATE_LIMITED: 'A user sent more requests than "limits" allows. The usual cause is a loop in the page.',
}

const NOT_GRANTED = {
  product: 'The grant does not list this product. Add it to "products" of what "authorize" returns.',
  meetings: 'The grant has no "meetings". Return meetings: { credential } from "authorize".',
  ownership: 'The grant forces another "ownership". Change "meetings.ownership" of what "authorize" returns.',
} as const
