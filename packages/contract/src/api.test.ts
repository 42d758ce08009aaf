import { expect, it } from 'vitest'
import * as contract from './index.js'
import * as schemas from './schemas.js'
import * as titles from './titles.js'

const surface = (module: object): string[] =>
  Object.entries(module).map(([name, value]) => `${name}: ${typeof value}`)

it('has this public surface', () => {
  expect(surface(contract)).toMatchInlineSnapshot(`
    [
      "codesOf: function",
      "hasCode: function",
      "DEFAULT_TTL_MINUTES: number",
      "PRODUCTS: object",
      "PRODUCT_NAMES: object",
      "isProduct: function",
      "SESSION_ID_MAX_LENGTH: number",
      "PAGE_SIZE: object",
      "MEETINGS_RATE: object",
      "DEFAULT_MEETING_FIELDS: object",
      "MEETING_FIELDS: object",
      "OWNERSHIP_FILTERS: object",
      "SORT_FIELDS: object",
      "SORT_ORDERS: object",
      "MEETINGS_DEFAULTS: object",
      "MEETINGS_QUERY_ROLES: object",
      "ASSUMED_MEETINGS_WIRE: object",
      "ASSUMED_CONCURRENCY_STATUS: number",
      "FRESH_TOKEN_STATUS: string",
      "MAX_CURSOR_LENGTH: number",
      "MAX_SEARCH_LENGTH: number",
      "MAX_TAGS: number",
      "MAX_TAG_LENGTH: number",
      "MAX_MEETING_ID_LENGTH: number",
      "LANGUAGE_WITH_REGION: object",
      "TOKEN_ERRORS: object",
      "MEETINGS_ERRORS: object",
      "HANDSHAKE_ERRORS: object",
      "BFF_ERRORS: object",
      "CLIENT_ERRORS: object",
      "mapUpstreamFailure: function",
      "isAccountError: function",
      "REFUSAL_CODES: object",
      "readRefusedUpgrade: function",
      "readErrorFrame: function",
      "readClose: function",
      "isErrorFrame: function",
      "USER_HEADER: string",
    ]
  `)
})

it('has this public surface in ./schemas', () => {
  expect(surface(schemas)).toMatchInlineSnapshot(`
    [
      "HandshakeCheckRequest: object",
      "HandshakeCheckAnswer: object",
      "Participant: object",
      "AnyMeeting: object",
      "MeetingsQuery: object",
      "MeetingQuery: object",
      "MeetingsAnswer: object",
      "TagsAnswer: object",
      "Problem: object",
      "UsageType: object",
      "SessionTokenRequest: object",
      "SessionTokenAnswer: object",
      "UpstreamTokenRequest: object",
      "UpstreamSessionToken: object",
      "UpstreamTokenEnvelope: object",
      "UpstreamErrorEnvelope: object",
      "TranslationConfig: object",
      "TranslationFrame: object",
    ]
  `)
})

it('has this public surface in ./titles', () => {
  expect(Object.keys(titles)).toEqual([
    'BFF_TITLES',
    'TOKEN_MESSAGES',
    'HANDSHAKE_MESSAGES',
    'MEETINGS_MESSAGES',
  ])
})
