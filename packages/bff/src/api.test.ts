import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import * as authorize from './grant/presets/index.js'
import * as browser from './hosts/fetch/browser.js'
import * as web from './hosts/fetch/index.js'
import * as api from './index.js'

/** The names in the lists of a file, sorted. */
const namesIn = (file: string): string[] => {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8')
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) =>
    (list ?? '').split(','),
  )
  return lists
    .map((name) => name.trim().replace(/^type /, ''))
    .filter(Boolean)
    .toSorted()
}

it('the public surface: functions', () => {
  for (const entry of [api, web, browser])
    expect(Object.keys(entry).toSorted()).toEqual(['createBff', 'isBffError'])
})

it('the public surface: authorize', () => {
  expect(Object.keys(authorize).toSorted()).toEqual(['GRANT_SCHEMA', 'fromJwt', 'fromUrl'])
  expect(namesIn('grant/presets/index.ts')).toEqual([
    'FromJwtOptions',
    'FromUrlOptions',
    'GRANT_SCHEMA',
    'Grant',
    'HostRequest',
    'JwtAlgorithm',
    'JwtClaims',
    'MeetingsGrant',
    'Secret',
    'fromJwt',
    'fromUrl',
  ])
})

it('the public surface: types that every entry has', () => {
  expect(namesIn('hosts/types.ts')).toMatchInlineSnapshot(`
    [
      "Authorize",
      "BffError",
      "BffErrorCode",
      "BffEvent",
      "BffGauge",
      "BffLogger",
      "BffMethods",
      "BffUser",
      "BudgetEvent",
      "BudgetGauge",
      "CommonOptions",
      "EndOptions",
      "EndTarget",
      "GateReason",
      "Grant",
      "LimitsOptions",
      "MeetingsGrant",
      "MeetingsOptions",
      "MeetingsWireOptions",
      "ObservedRequest",
      "OpenSession",
      "PartResult",
      "PartSpan",
      "Platform",
      "RedisClient",
      "RedisEval",
      "RequestResult",
      "RequestSpan",
      "Secret",
      "SessionsEvent",
      "SessionsFilter",
      "SessionsGauge",
      "SessionsGrant",
      "SessionsOptions",
      "StreamQuery",
      "Telemetry",
      "TelemetrySource",
      "Transport",
      "UpstreamDispatcher",
      "UpstreamOperation",
      "UsageGrant",
      "UserCallOptions",
      "UserCalls",
      "UserMeeting",
      "UserMeetingOptions",
      "UserMeetingsFilters",
      "UserMeetingsPage",
      "UserRequest",
      "UserTokenOptions",
    ]
  `)
})

it('the public surface: types of an entry', () => {
  expect(namesIn('index.ts')).toEqual(['Bff', 'BffOptions', 'createBff', 'isBffError'])
  const fetchTypes = ['Bff', 'BffOptions', 'FetchHandler', 'FetchHandlers', 'isBffError']
  for (const file of ['index', 'browser', 'workerd'])
    expect(namesIn(`hosts/fetch/${file}.ts`)).toEqual(fetchTypes)
})
