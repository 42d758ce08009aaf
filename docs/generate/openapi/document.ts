import {
  BFF_ERRORS,
  DEADLINE_HEADER,
  DEFAULT_DEADLINE_MS,
  type BffRouteName,
  MEETING_FIELDS,
  MEETINGS_PARAMS,
  SIZES,
  USER_HEADER,
  WITH_LEASE,
} from '@stagepass/contract'
import contract from '../../../packages/contract/package.json' with { type: 'json' }
import { PARAM_DOCS } from './paramDocs.js'
import { problemsOf } from './problems.js'
import { type Json, ref, SCHEMAS } from './schemas.js'

/** A query parameter of the list, from its row. Several values are separated by commas. */
function query(filter: keyof typeof MEETINGS_PARAMS): Json {
  const { name, schema } = MEETINGS_PARAMS[filter]
  const joined = schema.type === 'array' ? { style: 'form', explode: false } : {}
  const described = { name, in: 'query', description: PARAM_DOCS[filter], ...joined, schema }
  if (filter !== 'fields') return described
  return {
    ...described,
    description: `${described.description} A site with \`meetings.wire.extraFields\` has more.`,
    schema: { ...schema, items: { type: 'string', enum: MEETING_FIELDS } },
  }
}

const json = (schema: Json): Json => ({ 'application/json': { schema } })
const component = (kind: 'headers' | 'parameters', name: string): Json => ({
  $ref: `#/components/${kind}/${name}`,
})

const GUARDS: Json = {
  'Cache-Control': component('headers', 'Cache-Control'),
  'X-Content-Type-Options': component('headers', 'X-Content-Type-Options'),
  'Referrer-Policy': component('headers', 'Referrer-Policy'),
}

/** Headers of the responses that a route works for. */
const WORKED: Json = { ...GUARDS, [DEADLINE_HEADER]: component('headers', DEADLINE_HEADER) }

/** `schema`: without it the response is 204, and has no body. */
function responsesOf(route: BffRouteName, description: string, schema?: Json, queued?: string): Json {
  const responses: Record<string, Json> = schema
    ? { 200: { description, headers: WORKED, content: json(schema) } }
    : { 204: { description, headers: WORKED } }
  if (queued !== undefined)
    responses[202] = { description: queued, headers: WORKED, content: json(ref('Queued')) }
  for (const [status, codes] of problemsOf(route)) {
    const sentences = codes.map((code) => `- \`${code}\`: ${BFF_ERRORS[code].title}`).join('\n')
    const retry = { 'Retry-After': component('headers', 'Retry-After') }
    const only = { properties: { error_code: { enum: codes }, status: { const: status } } }
    responses[status] = {
      description: sentences,
      headers: {
        ...WORKED,
        ...(status === 429 || status === 503 || status === 409 ? retry : {}),
        ...(status === 401 && { 'WWW-Authenticate': component('headers', 'WWW-Authenticate') }),
        ...(status === 415 && { Accept: component('headers', 'Accept') }),
      },
      content: { 'application/problem+json': { schema: { allOf: [ref('Problem'), only] } } },
    }
  }
  return responses
}

interface Operation {
  readonly route: BffRouteName
  readonly id: string
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly Json[]
  readonly body?: string
  readonly answers: readonly [description: string, schema?: string]
  /** Description of the 202: the place in the queue. */
  readonly queued?: string
}

const TAGS: Readonly<Record<BffRouteName, string>> = {
  'session-token': 'Tokens',
  'handshake-check': 'Tokens',
  meetings: 'Meetings',
  meeting: 'Meetings',
  tags: 'Meetings',
  usage: 'Usage',
  'usage-report': 'Usage',
  vitals: 'Operations',
  session: 'Sessions',
  'session-renewal': 'Sessions',
  'session-release': 'Sessions',
}

function operation({
  route,
  id,
  summary,
  description,
  parameters = [],
  body,
  answers,
  queued,
}: Operation): Json {
  const gate = [component('parameters', 'gate'), component('parameters', 'user')]
  return {
    operationId: id,
    summary,
    description,
    tags: [TAGS[route]],
    parameters: [...gate, ...parameters],
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(ref(body)) } }),
    responses: responsesOf(route, answers[0], answers[1] === undefined ? undefined : ref(answers[1]), queued),
  }
}

const MEETING_ID: Json = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Percent-encoded.',
  schema: { type: 'string', minLength: 1, maxLength: SIZES.meetingId },
}

const LEASE_ID: Json = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'A lease or a ticket.',
  schema: { type: 'string', minLength: 1, maxLength: SIZES.session },
}

const PATHS: Json = {
  '/session-token': {
    post: operation({
      route: 'session-token',
      id: 'createSessionToken',
      summary: 'Get a session token',
      description: 'A short-lived token for one product, for the signed-in user.',
      body: 'SessionTokenRequest',
      parameters: [
        {
          name: 'accept',
          in: 'header',
          description: `\`${WITH_LEASE}\` also asks for a session, if the BFF shares the sessions of its account.`,
          schema: { type: 'string' },
        },
      ],
      answers: ['The token, and the lease of a session if it was asked for.', 'SessionToken'],
      queued: 'No session is free. Nothing was minted.',
    }),
  },
  '/sessions': {
    post: operation({
      route: 'session',
      id: 'askForSession',
      summary: 'Ask for a session',
      description:
        'Asks for one of the simultaneous sessions of the account, or for the place of an earlier request. 404 unless the operator has turned it on; then open streams without it.',
      body: 'SessionRequest',
      answers: ['A stream may be opened.', 'Lease'],
      queued: 'No session is free. Ask again with the ticket.',
    }),
  },
  '/sessions/{id}': {
    post: operation({
      route: 'session-renewal',
      id: 'renewSession',
      summary: 'Renew a session',
      description:
        'Says that the session is still open. After a 410 close it. After a 404 an open stream may stay open; ask for a session with the old lease as `ticket`.',
      parameters: [LEASE_ID],
      body: 'SessionRenewal',
      answers: ['The lease was renewed.', 'Renewal'],
    }),
    delete: operation({
      route: 'session-release',
      id: 'releaseSession',
      summary: 'Give a session back',
      description: 'Send it after the socket is closed, also to leave the queue.',
      parameters: [LEASE_ID],
      answers: ['The session is free.'],
    }),
  },
  '/meetings': {
    get: operation({
      route: 'meetings',
      id: 'listMeetings',
      summary: 'List meetings',
      description:
        'A page of the meetings that the grant allows. `Cache-Control: no-cache` bypasses the cache.',
      parameters: (Object.keys(MEETINGS_PARAMS) as (keyof typeof MEETINGS_PARAMS)[]).map(query),
      answers: ['The page.', 'MeetingsPage'],
    }),
  },
  '/meetings/{id}': {
    get: operation({
      route: 'meeting',
      id: 'getMeeting',
      summary: 'Get a meeting',
      description: 'One meeting, with the fields that the grant allows.',
      parameters: [MEETING_ID, query('fields')],
      answers: ['The meeting.', 'Meeting'],
    }),
  },
  '/tags': {
    get: operation({
      route: 'tags',
      id: 'listTags',
      summary: 'List tags',
      description: 'The tags for the filter of the list.',
      answers: ['The tags.', 'Tags'],
    }),
  },
  '/handshake-check': {
    post: operation({
      route: 'handshake-check',
      id: 'checkHandshake',
      summary: 'Find out why a stream was refused',
      description:
        'A browser cannot see why a WebSocket was refused. The BFF tries the same handshake and returns the reason. This uses a session of the account for a moment, so send it only once for each failure.',
      body: 'HandshakeCheckRequest',
      answers: ['What the service said.', 'HandshakeCheck'],
    }),
  },
  '/usage': {
    get: operation({
      route: 'usage',
      id: 'getUsage',
      summary: 'Get the minutes of today',
      description:
        "The minutes that the user has used and reserved today. Empty if the user's minutes are not counted.",
      answers: ['The minutes by product.', 'Usage'],
    }),
    post: operation({
      route: 'usage-report',
      id: 'reportUsage',
      summary: 'Report the usage of a token',
      description:
        'Reports how long the streams of a token were open. Unused time is refunded, once for each token. Stop using the token before you send the report.',
      body: 'UsageReport',
      answers: ['The minutes by product, after the report.', 'Usage'],
    }),
  },
  '/vitals': {
    post: operation({
      route: 'vitals',
      id: 'reportVitals',
      summary: 'Report what a page measured',
      description:
        'Figures of the streams of a page, for the metrics of the operator: at most one report a minute, and one at its end. 404 unless the operator has turned it on; then send no other.',
      body: 'VitalsReport',
      answers: ['The figures were taken.'],
    }),
  },
  '/health': {
    get: {
      operationId: 'getHealth',
      summary: 'Ask whether this instance is healthy',
      description: 'For load balancers. It needs no header of the gate and no sign-in.',
      tags: ['Operations'],
      security: [],
      responses: {
        200: { description: 'Healthy.', headers: GUARDS, content: json(ref('Health')) },
        503: { description: 'Draining, or degraded.', headers: GUARDS, content: json(ref('Health')) },
      },
    },
  },
}

/**
 * The BFF's wire as an OpenAPI 3.1 document, made from the schemas, limits and error table of
 * `@stagepass/contract`.
 */
export const DOCUMENT: Json = {
  openapi: '3.1.0',
  info: {
    title: 'Stagepass BFF',
    version: contract.version,
    description:
      'The routes of `@stagepass/bff`, relative to the path under which it is mounted. Every response is JSON. Later versions may add members to a response.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [
    {
      url: '{mount}',
      description: 'The path under which the application has mounted the BFF.',
      variables: { mount: { default: '/api/voice' } },
    },
  ],
  security: [{ signIn: [] }],
  tags: [
    { name: 'Tokens', description: 'Session tokens for streams.' },
    { name: 'Meetings', description: 'Meetings that the user may see.' },
    { name: 'Usage', description: 'Minutes of the user.' },
    { name: 'Sessions', description: 'Simultaneous sessions of the account, shared fairly.' },
    { name: 'Operations', description: 'For the operator.' },
  ],
  paths: PATHS,
  components: {
    securitySchemes: {
      signIn: {
        type: 'apiKey',
        in: 'cookie',
        name: 'session',
        description:
          "The application's own sign-in: whatever its `authorize` reads, such as a cookie of any name or a bearer token.",
      },
    },
    parameters: {
      gate: {
        name: 'x-stagepass',
        in: 'header',
        required: true,
        description: 'Always `1`. A page of another site cannot send it.',
        schema: { const: '1' },
      },
      user: {
        name: USER_HEADER,
        in: 'header',
        description:
          'The user for whom the page sends the request, percent-encoded. If another user is signed in, the response is `USER_CHANGED`.',
        schema: { type: 'string' },
      },
    },
    headers: {
      'Cache-Control': {
        description: 'The response must not be stored.',
        schema: { const: 'no-store, no-transform' },
      },
      'X-Content-Type-Options': {
        description: 'The browser must not guess the type.',
        schema: { const: 'nosniff' },
      },
      'Referrer-Policy': { description: 'The browser sends no referrer.', schema: { const: 'no-referrer' } },
      'Retry-After': {
        description: 'Time until the next request may be sent, in whole seconds.',
        schema: { type: 'string' },
      },
      [DEADLINE_HEADER]: {
        description: `Only if the BFF works on a request for longer than ${DEFAULT_DEADLINE_MS} ms: for how long, in milliseconds. A client should wait longer.`,
        schema: { type: 'integer' },
      },
      'WWW-Authenticate': {
        description: 'How to sign in: `Bearer` if the site checks bearer tokens, otherwise `Session`.',
        schema: { type: 'string' },
      },
      Accept: { description: 'The content type of a body.', schema: { type: 'string' } },
    },
    schemas: SCHEMAS,
  },
}
