import { expect, it, vi } from 'vitest'
import { CLIENT_ERRORS } from './clientErrors.js'
import { asVoiceError, isVoiceError, VoiceError } from './VoiceError.js'

it('has status and retryable of the response, and a sentence for the code', () => {
  const { status, retryable } = new VoiceError('NETWORK_ERROR')
  expect({ status, retryable }).toEqual({ status: undefined, retryable: true })
  expect(new VoiceError('RATE_LIMITED').retryable).toBe(false)
  const details = { status: 500, retryable: true, reqId: 'a', retryAfterMs: 0 }
  const error = new VoiceError('UPSTREAM_ERROR', details)
  expect(error).toMatchObject({ name: 'VoiceError', code: 'UPSTREAM_ERROR', ...details })
  expect(error.message).toBe('Something went wrong. Try again.')
  expect(new VoiceError('UPSTREAM_ERROR', { message: 'Our words.' }).message).toBe('Our words.')
})

it('has a hint only in development', () => {
  const error = new VoiceError('CONNECTION_LOST', { seen: 'What was seen.' })
  expect(error.message).toBe('The connection was lost. It will be restored.')
  expect(error.hint).toBe(`What was seen. ${CLIENT_ERRORS.CONNECTION_LOST.hint}`)
  vi.stubEnv('NODE_ENV', 'production')
  const quiet = new VoiceError('CONNECTION_LOST', { seen: 'What was seen.' })
  vi.unstubAllEnvs()
  expect([quiet.hint, quiet.message]).toEqual([undefined, error.message])
})

it.each(['NETWORK_ERROR', 'CONNECTION_REFUSED'] as const)(
  'names an extension of the browser among the causes of %s, in lines of at most 300 characters',
  (code) => {
    expect(new VoiceError(code).hint).toMatch(
      /an extension of the browser \(an ad blocker\)|no extension of the browser/,
    )
    for (const line of Object.values(CLIENT_ERRORS[code].hint || {}))
      expect(line.length).toBeLessThanOrEqual(300)
  },
)

it('keeps its cause, and has none if none was given', () => {
  const cause = new TypeError('fetch failed')
  expect(asVoiceError(cause)).toMatchObject({ code: 'NETWORK_ERROR', cause })
  expect('cause' in new VoiceError('ABORTED')).toBe(false)
  const same = new VoiceError('ABORTED')
  expect(asVoiceError(same)).toBe(same)
})

it('is recognised across duplicate modules, also by its code', async () => {
  vi.resetModules()
  const copy = await import('./VoiceError.js')
  const foreign = new copy.VoiceError('FORBIDDEN')
  expect(foreign).not.toBeInstanceOf(VoiceError)
  expect(isVoiceError(foreign)).toBe(true)
  expect(isVoiceError(foreign, 'FORBIDDEN')).toBe(true)
  expect(isVoiceError(foreign, 'NOT_FOUND')).toBe(false)
  for (const other of [
    null,
    undefined,
    'VoiceError',
    new Error('x'),
    { name: 'VoiceError', code: 'FORBIDDEN' },
  ]) {
    expect(isVoiceError(other)).toBe(false)
  }
})
