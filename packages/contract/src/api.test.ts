import { expect, it } from 'vitest'
import * as contract from './index.js'
import * as schemas from './schemas.js'

const namesOf = (module: object): string => Object.keys(module).toSorted().join(' ')

it('has this public surface', () => {
  expect(namesOf(contract)).toBe(
    'ASSUMED_CONCURRENCY_STATUS ASSUMED_MEETINGS_WIRE BFF_ERRORS BFF_ROUTES DEADLINE_HEADER DEFAULT_DEADLINE_MS DEFAULT_MEETING_FIELDS DEFAULT_TTL_MINUTES ' +
      'FRESH_TOKEN_STATUS GATE_HEADER HANDSHAKE_ERRORS HANDSHAKE_HINTS LANGUAGE_WITH_REGION LOST_REASONS ' +
      'MEETINGS_ERRORS MEETINGS_PARAMS MEETINGS_QUERY_ROLES ' +
      'MEETINGS_RATE MEETINGS_WIRE MEETING_FIELDS MEETING_READERS PAGE_ENGINES PAGE_FIGURES PAGE_NETWORKS PARAM_CONFIDENCE PRODUCTS PRODUCT_NAMES REFUSAL_CODES ' +
      'SESSION_ID_MAX_LENGTH SIZES TOKEN_ERRORS TOKEN_PATH TransportError USER_HEADER VITALS_LIMITS WITH_LEASE addressProblem bffErrorRow boundFigure boundWait codesOf connectionsOf createTapeWriter encodeText formsOfSecret handshakesOf hasCode hasScheme ' +
      'hintText isErrorFrame isLoopback isObject isProduct listParam mapUpstreamFailure meetingsParams metricOfFigure mostSimilar parseRetryAfter parseTape ' +
      'readClose readErrorFrame readMeeting ' +
      'readMeetingsPage readRefusedUpgrade readTags requestRules resolveMeetingsWire stripBom unknownKey wellFormed withDefaults withoutQuotes',
  )
  expect(namesOf(schemas)).toBe(
    'AnyMeeting HandshakeCheckRequest HandshakeCheckResponse LeaseAnswer MeetingQuery MeetingsQuery ' +
      'MeetingsResponse Participant Problem ProductUsage QueueAnswer RenewalAnswer SessionRenewal ' +
      'SessionRequest SessionRoom SessionTokenRequest SessionTokenResponse TagsResponse ' +
      'TranslationConfig TranslationFrame UpstreamErrorEnvelope UpstreamSessionToken ' +
      'UpstreamTokenEnvelope UpstreamTokenRequest UsageReport UsageResponse UsageType VitalsReport',
  )
})
