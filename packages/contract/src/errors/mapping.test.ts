import { describe, expect, it } from 'vitest'
import { BFF_ERRORS } from './bffErrors.js'
import { codesOf } from './ErrorRow.js'
import { mapUpstreamFailure, type UpstreamFailure } from './mapping.js'
import { TOKEN_ERRORS } from './upstreamErrors.js'

describe('mapUpstreamFailure', () => {
  it.each(codesOf(TOKEN_ERRORS))('keeps the name of %s', (errorCode) => {
    const { status } = TOKEN_ERRORS[errorCode]
    expect(mapUpstreamFailure({ endpoint: 'token', status, errorCode })).toEqual({
      code: errorCode,
      retryable: BFF_ERRORS[errorCode].retryable,
    })
  })

  it.each([
    [400, 'VALIDATION_ERROR', false],
    [401, 'MEETINGS_CREDENTIAL_REJECTED', false],
    [403, 'MEETINGS_CREDENTIAL_REJECTED', false],
    [404, 'UPSTREAM_MALFORMED', false],
    [408, 'UPSTREAM_UNREACHABLE', true],
    [409, 'MEETING_PROCESSING', true],
    [429, 'UPSTREAM_RATE_LIMITED', true],
    [500, 'UPSTREAM_ERROR', true],
    [302, 'UPSTREAM_MALFORMED', false],
    [418, 'UPSTREAM_MALFORMED', false],
  ] as const)('answers a meetings %i with %s', (status, code, retryable) => {
    expect(mapUpstreamFailure({ endpoint: 'meetings', status })).toEqual({ code, retryable })
  })

  it('maps a 404 to NOT_FOUND only for one meeting', () => {
    const of = (endpoint: UpstreamFailure['endpoint']) => mapUpstreamFailure({ endpoint, status: 404 }).code
    expect(of('meeting')).toBe('NOT_FOUND')
    expect([of('meetings'), of('tags'), of('token')]).toEqual(Array(3).fill('UPSTREAM_MALFORMED'))
  })

  it('ignores codes of the token endpoint in a response about meetings', () => {
    const failure = { endpoint: 'meetings', status: 401, errorCode: 'AUTH_API_KEY_INVALID' } as const
    expect(mapUpstreamFailure(failure).code).toBe('MEETINGS_CREDENTIAL_REJECTED')
  })

  it('maps an unknown code by its status: final for a 4xx, retryable for a 5xx', () => {
    const of = (status: number, errorCode?: string) =>
      mapUpstreamFailure({ endpoint: 'token', status, errorCode })
    expect(of(403, 'NEW_CODE')).toEqual({ code: 'UPSTREAM_ERROR', retryable: false })
    expect(of(503, 'NEW_CODE')).toEqual({ code: 'UPSTREAM_ERROR', retryable: true })
    expect(of(503)).toEqual({ code: 'UPSTREAM_ERROR', retryable: true })
    expect(of(403)).toEqual({ code: 'UPSTREAM_MALFORMED', retryable: false })
  })

  it('never accepts a name from the prototype as a code', () => {
    expect(mapUpstreamFailure({ endpoint: 'token', status: 403, errorCode: 'constructor' }).code).toBe(
      'UPSTREAM_ERROR',
    )
  })
})
