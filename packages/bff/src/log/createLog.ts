import { BFF_ERRORS, type BffErrorCode, isAccountError } from '@stagepass/contract'
import { LRUCache } from 'lru-cache'
import type { BffEvent } from '../events/events.js'
import { atMost, type Clock } from '../platform/platform.js'
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
  const { title, hint, status } = BFF_ERRORS[errorCode]
  const level = isForOperator(errorCode, status) ? 'error' : 'warn'
  if (level === 'warn' && (status >= 500 || !isDevelopment())) return undefined
  // The rest of a title is for the person at the screen.
  const [seen] = title.split(/(?<=\.) /)
  const asked = errorCode.startsWith('UPSTREAM_')
    ? ` Asked was the address of "${OPTIONS[route] ?? 'meetings.baseUrl'}"${failure === undefined || failure === errorCode ? '' : ` (${failure})`}.`
    : ''
  const text = `${seen}${asked} ${hint}`
  return { level, name: errorCode, text, detail: route }
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

/**
 * Stays until an operator acts. The errors of `authorize` and of a secret's function, which are 503, have
 * events of their own; the others of 503 pass by themselves.
 */
const isForOperator = (code: BffErrorCode, status: number): boolean =>
  isAccountError(code) ||
  code === 'PRODUCT_NOT_ALLOWED' ||
  code === 'USAGE_UNAVAILABLE' ||
  (status >= 500 && status !== 503)

const NOT_GRANTED = {
  product: 'The grant does not list this product. Add it to "products" of what "authorize" returns.',
  meetings: 'The grant has no "meetings". Return meetings: { credential } from "authorize".',
  ownership: 'The grant forces another "ownership". Change "meetings.ownership" of what "authorize" returns.',
} as const
