import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import * as api from './index.js'

it('the public surface', () => {
  expect(Object.keys(api)).toMatchInlineSnapshot(`
    [
      "createBff",
    ]
  `)
  const index = readFileSync(new URL('index.ts', import.meta.url), 'utf8')
  const names = [...index.matchAll(/\{([^}]*)\}/g)].flatMap(([, list]) => (list ?? '').split(','))
  expect(
    names
      .map((name) => name.trim())
      .filter(Boolean)
      .toSorted(),
  ).toMatchInlineSnapshot(`
    [
      "Authorize",
      "BffEvent",
      "BffLogger",
      "BffOptions",
      "BudgetEvent",
      "BudgetGauge",
      "FetchHandler",
      "GateReason",
      "Grant",
      "LimitsOptions",
      "MeetingsGrant",
      "MeetingsOptions",
      "MeetingsWireOptions",
      "ObservedRequest",
      "PartResult",
      "PartSpan",
      "Platform",
      "RedisClient",
      "RequestResult",
      "RequestSpan",
      "RouteHandlers",
      "Secret",
      "SharedCacheOptions",
      "Telemetry",
      "TelemetrySource",
      "UpstreamDispatcher",
      "UpstreamOperation",
      "WaitHistogram",
      "createBff",
      "type Bff",
      "type BffGauge",
    ]
  `)
})
