import { BFF_ERRORS, bffErrorRow, hintText } from '@stagepass/contract'
import { LRUCache } from 'lru-cache/raw'
import { ADDRESS_OPTIONS } from './addressOptions.js'
import type { BffEvent } from './events.js'
import { atMost, type Clock } from '../base/platform.js'
import { isDevelopment } from '../base/isDevelopment.js'

/** The target of the log lines for an operator: `console`, or most loggers. */
export interface BffLogger {
  warn(line: string): unknown
  error(line: string): unknown
}

interface Line {
  readonly level: keyof BffLogger
  /** Error code or type of the event. The documentation has a section or a table for each. */
  readonly name: string
  /**
   * The cause and a remedy. It contains no user, no secret and no text of a browser or of the service, except
   * for checked names.
   */
  readonly text: string
  /** Separates lines with the same name that are different problems. It has only few values. */
  readonly detail?: string | undefined
  /** The account whose problem it is, if the grant names one. Each account has lines of its own. */
  readonly account?: string | undefined
  /** What the host's code threw. `isMessage`: a developer may read its message. */
  readonly thrown?: { readonly cause: unknown; readonly isMessage: boolean } | undefined
}

type Redact = (text: string) => string | undefined

type Finished = Extract<BffEvent, { type: 'request.finished' }>

/** A line with the same name and detail is written once in this time. */
const WRITE_AGAIN_MS = 60_000

/** Maximum number of accounts that have a line with the same name in this time. */
const MAX_ACCOUNTS = 10

/** Maximum number of kinds of recent lines that are remembered. */
const MAX_WRITTEN = 1_000

/**
 * Writes the problems that an operator must act on: one line for each problem, at most once a minute. In
 * development it also writes why requests were refused. `redact` removes secrets from the texts of others.
 * The returned function takes every event.
 */
export function createLog(logger: BffLogger, clock: Clock, redact: Redact): (event: BffEvent) => unknown {
  /** How often each kind was written. For a name: how many accounts have a line. */
  const written = new LRUCache<string, number>({
    ...atMost(MAX_WRITTEN),
    ttl: WRITE_AGAIN_MS - 1,
    noUpdateTTL: true,
    ttlResolution: 0,
    perf: clock,
  })
  /** The request of the last line. Its other events would repeat the same problem. */
  let explained: string | undefined

  return (event) => {
    const requestId = 'requestId' in event ? event.requestId : undefined
    if (requestId !== undefined && requestId === explained) return undefined
    const line = lineOf(event)
    if (!line) return undefined
    explained = requestId
    const { level, name, text, detail = '', account, thrown } = line
    const kind = account === undefined ? `${name} ${detail}` : `${name} ${detail} of ${account}`
    if (written.get(kind) !== undefined) return undefined
    let more = ''
    if (account !== undefined) {
      const accounts = (written.get(name) ?? 0) + 1
      if (accounts > MAX_ACCOUNTS) return undefined
      written.set(name, accounts)
      if (accounts === MAX_ACCOUNTS) more = ' More accounts may have it: see the events.'
    }
    written.set(kind, 1)
    const { account: named } = event
    const facts = [
      ...(named === undefined ? [] : [`account ${named}`]),
      ...(requestId === undefined ? [] : [`request ${requestId}`]),
    ]
    return logger[level](
      `[stagepass] ${name}: ${text}${thrownText(thrown, redact)}${more}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`,
    )
  }
}

function lineOf(event: BffEvent): Line | undefined {
  switch (event.type) {
    case 'host.misconfigured':
      // All strangers share one line in a minute, and the problems of users are lines of their own. The event
      // bounds their number.
      return {
        level: 'warn',
        name: event.type,
        text: event.problem,
        thrown: { cause: event.cause, isMessage: true },
        detail: event.user === undefined ? event.option : event.problem,
      }
    case 'gate.blocked':
      // A page of this site was blocked: something removes a header, or `origin` is wrong. A blocked request
      // of another site is not a problem.
      return event.sameOrigin || isDevelopment()
        ? {
            level: 'warn',
            name: 'CROSS_SITE_BLOCKED',
            text: hintText(BFF_ERRORS.CROSS_SITE_BLOCKED.hint, event.seen ?? { cause: event.reason }),
            detail: event.reason,
          }
        : undefined
    case 'authorize.failed':
      return {
        level: 'error',
        name: 'AUTHORIZE_FAILED',
        text: event.problem,
        thrown: { cause: event.cause, isMessage: true },
      }
    case 'login.refused':
      // That a token expired is a part of the work, unless no page ever renews it.
      return event.reason !== 'exp' || isDevelopment()
        ? { level: 'warn', name: event.type, text: event.problem, detail: event.reason }
        : undefined
    case 'secret.failed':
      return {
        level: 'error',
        name: 'SECRET_UNAVAILABLE',
        text: `"${event.secret}" cannot be used: ${event.problem}. Check the secret store.`,
        // An error of a secret store may contain the secret.
        thrown: { cause: event.cause, isMessage: false },
        detail: event.secret,
        account: event.account,
      }
    case 'budget.store':
      if (event.reason !== 'lost') return undefined
      if (event.connected === false) return { level: 'warn', name: event.type, text: NOT_CONNECTED }
      return {
        level: 'error',
        name: event.type,
        text: lostText(event),
      }
    case 'meeting.unreadable':
      return {
        level: 'warn',
        name: event.type,
        text: unreadableText(event),
        detail: `${event.field} ${event.kind}`,
      }
    case 'grant.refused':
      return isDevelopment()
        ? { level: 'warn', name: 'FORBIDDEN', text: NOT_GRANTED[event.what], detail: event.what }
        : undefined
    case 'request.finished':
      return finishedLine(event)
    // Not for an operator: part of the work, or the line of `request.finished` says it.
    case 'budget.limit':
    case 'budget.refused':
    case 'drain.finished':
    case 'drain.started':
    case 'limit.exceeded':
    case 'page.vitals':
    case 'request.abandoned':
    case 'secret.rejected':
    case 'secret.renewed':
    case 'session.ended':
    case 'session.leased':
    case 'session.queued':
    case 'session.released':
    case 'sessions.limit':
    // The line of `budget.store` says the same.
    case 'sessions.store':
    case 'token.minted':
    case 'upstream.called':
    case 'upstream.rate-limited':
    case 'upstream.retried':
    case 'usage.exhausted':
    case 'usage.settled':
    case 'usage.threshold':
      return undefined
    default:
      event satisfies never
      return undefined
  }
}

function finishedLine({ errorCode, route, seen, account: named }: Finished): Line | undefined {
  if (errorCode === undefined) return undefined
  const { title, hint, log } = bffErrorRow(errorCode)
  if (log === 'none' || (log === 'developer' && !isDevelopment())) return undefined
  const level = log === 'developer' ? 'warn' : 'error'
  const option = ADDRESS_OPTIONS[route]
  const account = log === 'account' ? named : undefined
  // With several causes, the hint says what was seen. Each cause has lines of its own.
  if (typeof hint !== 'string' && seen) {
    const text = hintText(hint, { ...seen, option })
    return { level, name: errorCode, text, detail: `${route} ${seen.cause}`, account }
  }
  // Only the first sentence of a title: the rest is for the person at the screen.
  const [said] = title.split(/(?<=\.) /)
  const isAsked = option !== undefined && errorCode.startsWith('UPSTREAM_')
  const asked = isAsked ? ` The request went to the address of "${option}".` : ''
  return { level, name: errorCode, text: `${said}${asked} ${hintText(hint)}`, detail: route, account }
}

/**
 * What the host's code threw. In development it is the message and the first line of the stack, without
 * secrets. Otherwise it is only the class, because a message may contain anything.
 */
function thrownText(thrown: Line['thrown'], redact: Redact): string {
  const { cause, isMessage } = thrown ?? {}
  if (cause === undefined) return ''
  if (isMessage && isDevelopment() && cause instanceof Error) {
    const at = /^ *(at .+)/m.exec(cause.stack ?? '')?.[1] ?? ''
    // Secrets first: half of one, or one with other spaces, would not be found.
    const text = redact(` ${cause.name}: ${cause.message} ${at}`)
    if (text !== undefined) return text.replaceAll(/\s+/g, ' ').slice(0, 600).trimEnd()
  }
  const name = cause instanceof Error && CLASS.test(cause.name) ? ` Its class is ${cause.name}.` : ''
  return ` The thrown value is the "cause" of this event in onEvent.${name}`
}

/** The name of a class of errors. No secret has this form. */
const CLASS = /^(?:[A-Z][a-z]{0,15}){0,5}(?:Error|Exception|Rejection)$/

type UnreadableEvent = Extract<BffEvent, { type: 'meeting.unreadable' }>

function unreadableText({ field, kind, count }: UnreadableEvent): string {
  const seen = kind === 'missing' ? 'nothing' : KINDS[kind]
  const times = count === 1 ? 'once' : `${count} times`
  return `The meetings interface sent ${seen} as "${field}", ${times}, which cannot be read. ${UNREADABLE[field] ?? FIELD_REMEDY}`
}

const KINDS = {
  null: 'null',
  boolean: 'true or false',
  number: 'a number',
  text: 'a text',
  list: 'a list',
  object: 'an object',
} as const satisfies Record<Exclude<UnreadableEvent['kind'], 'missing'>, string>

/** What became of the value, and what to do. */
const UNREADABLE: Partial<Record<UnreadableEvent['field'], string>> = {
  id: 'Its meeting is left out. Check "meetings.wire.items", and ask the service for the form of its ids.',
  next_cursor: 'The list ends there. Check "meetings.wire.cursor".',
  total: 'It is left out. Check "meetings.wire.total".',
}
const FIELD_REMEDY =
  'It is null in the response, or an element of a list is left out. To pass the field on unchanged, name it in "meetings.wire.extraFields".'

const lostText = ({
  reply,
  limit,
}: {
  readonly reply?: string | undefined
  readonly limit: number
}): string => {
  const [seen, remedy] = STORE_FAULTS[reply ?? ''] ?? [
    `Redis answers ${reply}`,
    'Check the rights of its user, its memory and its state: see scaling.md.',
  ]
  return `${seen}. This instance continues with at most ${limit} requests in a window of the rate limit. ${remedy}`
}

/** By the reply; those without an error reply of Redis. */
const STORE_FAULTS: Readonly<Record<string, readonly [seen: string, remedy: string]>> = {
  '': ['Redis does not respond', 'Check Redis and the network to it.'],
  UNEXPECTED: [
    'What came is not the reply of the script',
    'A function in "redis" must return what EVAL answers, unchanged, and reject if it fails.',
  ],
}

const NOT_CONNECTED =
  'The client in "redis" is not connected yet: await connect() before createBff (with ioredis, wait for its event "ready"). Until then this instance counts for itself. If the client does not connect, check Redis and the network to it.'

const NOT_GRANTED = {
  product: 'The grant does not list this product. Add it to the "products" that "authorize" returns.',
  meetings: 'The grant has no "meetings". Return meetings: { credential } from "authorize".',
  ownership:
    'The grant forces another "ownership". Change the "meetings.ownership" that "authorize" returns.',
} as const
