import {
  DEFAULT_MEETING_FIELDS,
  type Meeting,
  PRODUCT_NAMES,
  PRODUCTS,
  SESSION_ID_MAX_LENGTH,
  SIZES,
} from '@stagepass/contract'
import {
  HandshakeCheckResponse,
  HandshakeCheckRequest,
  MeetingsResponse,
  Participant,
  LeaseAnswer,
  Problem,
  QueueAnswer,
  RenewalAnswer,
  SessionRenewal,
  SessionRequest,
  SessionTokenResponse,
  SessionTokenRequest,
  TagsResponse,
  UsageResponse,
  UsageReport,
  VitalsReport,
} from '@stagepass/contract/schemas'
import { z } from 'zod'

const TTL = { stt: PRODUCTS.stt.ttlMinutes, vt: PRODUCTS.vt.ttlMinutes }

export type Json = { readonly [name: string]: unknown }

/** Descriptions that the types do not have, by the member's name. A name has the same meaning everywhere. */
const MEMBERS: Readonly<Record<string, Json>> = {
  expiration_ttl: {
    description: `Lifetime of the token in minutes: ${TTL.stt.min} to ${TTL.stt.max}, for \`vt\` up to ${TTL.vt.max}. Default: ${TTL.stt.default}. The grant may limit it.`,
    minimum: TTL.vt.min,
    maximum: TTL.vt.max,
  },
  session_id: {
    description: 'The service repeats it in its reports. The length is counted in UTF-16 units.',
    maxLength: SESSION_ID_MAX_LENGTH,
  },
  session_key: {
    description: 'The session token. A secret until it expires.',
    maxLength: SIZES.sessionKey,
  },
  type: { description: 'In a token: `session`. In a problem: the address of its section in the error docs.' },
  expires_in_ms: {
    description:
      'Remaining lifetime of the token in milliseconds. The server computes it, so a wrong clock of the client does not matter.',
  },
  stream_url: { description: 'The address of the WebSocket. It contains no credential.' },
  usage_receipt: {
    description: "For `POST /usage`. Present if the user's minutes are counted. Opaque.",
    maxLength: SIZES.usageReceipt,
  },
  lease: { description: 'The lease of a session. Opaque.', maxLength: SIZES.session },
  ticket: { description: 'The place in the queue. Opaque.', maxLength: SIZES.session },
  renew_in_ms: { description: 'Send `POST /sessions/{lease}` after this time.' },
  after_ms: {
    description:
      'The BFF waits so long before it asks. Timers of a page in the background run once a minute.',
  },
  retry_in_ms: { description: 'Send `POST /sessions` with the ticket after this time.' },
  place: { description: 'From 1. Null while it is not known.' },
  of: { description: 'Requests in the queue. Null while it is not known.' },
  sessions: {
    description:
      'Present if the sessions of the account are shared. `full`: ask for one before you open a stream with a token that you have.',
  },
  holds: {
    description: 'The socket of the session. `parked`: closed in silence, and it may open again at any time.',
  },
  hidden: { description: 'The page is in the background, where timers run once a minute.' },
  reason: { description: 'A text of the operator, with `ENDED_BY_SERVER`.' },
  resets_at: { description: 'Time at which the minutes are reset: ISO 8601, UTC.' },
  receipt: { maxLength: SIZES.usageReceipt },
  replaces: {
    description:
      'The report of the token that the new one replaces, as in `POST /usage`. The new token gets its unused minutes. Ignored if the receipt has no effect.',
  },
  next_cursor: {
    description: 'The `cursor` of the next page; null at the end of the list.',
    maxLength: SIZES.cursor,
  },
  total: { description: 'Number of matching meetings, if the service sends it.' },
  title: { description: 'A sentence for people. It may change.' },
  request_id: { description: "The BFF's id of the request, for the operator of this site." },
  req_id: { description: "The service's id of the request, for its support." },
  field: { description: 'The part of the request that was refused.' },
  retryable: { description: '`false`: never retry, whatever the status.' },
  retry_after_ms: {
    description:
      'Time until the next request may be sent, in milliseconds. `Retry-After` has it in seconds, rounded up.',
  },
}

/**
 * The schema without details that a reader does not need: the bounds of every integer, and a pattern in
 * addition to a format.
 */
function schemaOf(schema: z.ZodType, description: string): Json {
  const { $schema: _version, ...described } = z.toJSONSchema(schema, {
    io: 'input',
    override({ jsonSchema, path }) {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern
      if (path.at(-2) === 'properties') Object.assign(jsonSchema, MEMBERS[String(path.at(-1))])
    },
  })
  return { description, ...described }
}

/** Allows unknown members, because responses can get new ones, and a strict client would then fail. */
function open(schema: Json): Json {
  const { additionalProperties: _closed, ...rest } = schema
  return rest
}

export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

const withProperties = (schema: Json, changed: Json): Json => ({
  ...schema,
  properties: { ...(schema['properties'] as Json), ...changed },
})

/** One row a field: a new field of the contract does not compile without its description. */
const MEETING_PROPERTIES: { readonly [TField in keyof Meeting]: Json } = {
  id: { type: 'string', minLength: 1 },
  title: { type: ['string', 'null'] },
  started_at: { type: ['string', 'null'], format: 'date-time', description: 'ISO 8601, UTC.' },
  duration: { type: ['number', 'null'], minimum: 0, description: 'In seconds.' },
  status: { type: ['string', 'null'], description: 'An open set. Seen so far: `completed` and `ready`.' },
  source: { type: ['string', 'null'] },
  tags: {
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'Identifiers for the filter `tags`.',
  },
  ownership: {
    type: ['string', 'null'],
    description: '`owned` or `shared`. The filter has other words.',
  },
  participants: {
    type: ['array', 'null'],
    items: {
      type: 'object',
      properties: Object.fromEntries(
        Object.keys(Participant.shape).map((name) => [name, { type: ['string', 'null'] }]),
      ),
    },
    description: 'People, only if `fields` names it.',
  },
}

/** (Assumptions: "Meeting fields".) */
const MEETING: Json = {
  description: `A meeting: \`id\`, and the requested fields. Without \`fields\` these are ${DEFAULT_MEETING_FIELDS.join(', ')}. A field is null if the service sent nothing, or nothing that can be read. A field that \`meetings.wire.extraFields\` names comes as the service sends it.`,
  type: 'object',
  required: ['id'],
  properties: MEETING_PROPERTIES,
}

/** The products whose tokens live shorter than those of `vt`. */
const SHORT_LIVED = PRODUCT_NAMES.filter((product) => PRODUCTS[product].ttlMinutes.max < TTL.vt.max)

export const SCHEMAS: Json = {
  SessionTokenRequest: {
    ...schemaOf(
      SessionTokenRequest,
      'The product, and the lifetime of the token. Unknown members are refused.',
    ),
    not: {
      required: ['usage_type', 'expiration_ttl'],
      properties: {
        usage_type: { enum: SHORT_LIVED },
        expiration_ttl: { exclusiveMinimum: TTL.stt.max },
      },
    },
  },
  SessionToken: open(schemaOf(SessionTokenResponse, 'A session token, and the address of its stream.')),
  HandshakeCheckRequest: schemaOf(HandshakeCheckRequest, 'The token whose stream could not be opened.'),
  HandshakeCheck: schemaOf(
    HandshakeCheckResponse,
    'Says whether the service accepts the handshake, and if not, why.',
  ),
  Meeting: MEETING,
  MeetingsPage: withProperties(open(schemaOf(MeetingsResponse, 'A page of meetings.')), {
    meetings: { type: 'array', items: ref('Meeting') },
  }),
  Tags: open(schemaOf(TagsResponse, 'The tags for the filter of the list, each with `id` and `name`.')),
  UsageReport: schemaOf(UsageReport, 'The usage of a token. Unknown members are refused.'),
  Usage: open(schemaOf(UsageResponse, 'The minutes of today, by product.')),
  SessionRequest: schemaOf(SessionRequest, 'What a page needs a session for.'),
  SessionRenewal: schemaOf(SessionRenewal, 'The state of a session.'),
  Lease: open(schemaOf(LeaseAnswer, 'A session may be opened.')),
  Queued: open(schemaOf(QueueAnswer, 'A place in the queue.')),
  Renewal: open(schemaOf(RenewalAnswer, 'The lease was renewed.')),
  VitalsReport: schemaOf(
    VitalsReport,
    'Times in milliseconds by product and figure, and lost connections by reason. Values outside of the bounds of a figure count as the nearest bound.',
  ),
  Problem: open(schemaOf(Problem, 'An error (RFC 9457). Branch on `error_code`, never on `title`.')),
  Health: {
    description: 'Whether this instance should get requests.',
    type: 'object',
    required: ['status'],
    properties: {
      status: { enum: ['ok', 'degraded', 'draining'] },
      reason: { type: 'string', description: 'A sentence for the operator.' },
    },
  },
}
