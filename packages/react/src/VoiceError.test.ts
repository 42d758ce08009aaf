import { expect, it, vi } from 'vitest'
import { asVoiceError, isVoiceError, VoiceError } from './VoiceError.js'

it('takes status and retryable from the response, and makes a sentence of the code', () => {
  const { status, retryable } = new VoiceError('NETWORK_ERROR')
  expect({ status, retryable }).toEqual({ status: undefined, retryable: true })
  expect(new VoiceError('RATE_LIMITED').retryable).toBe(false)
  const details = { status: 500, retryable: true, reqId: 'a', retryAfterMs: 0 }
  const error = new VoiceError('UPSTREAM_ERROR', details)
  expect(error).toMatchObject({ name: 'VoiceError', code: 'UPSTREAM_ERROR', ...details })
  expect(error.message).toBe('Upstream error. See UPSTREAM_ERROR in docs/errors.md of Stagepass.')
  expect(new VoiceError('UPSTREAM_ERROR', { title: 'Our words.' }).message).toBe('Our words.')
})

it('keeps its cause, and has none where none was given', () => {
  const cause = new TypeError('fetch failed')
  expect(asVoiceError(cause)).toMatchObject({ code: 'NETWORK_ERROR', cause })
  expect('cause' in new VoiceError('ABORTED')).toBe(false)
  const same = new VoiceError('ABORTED')
  expect(asVoiceError(same)).toBe(same)
})

it('is known across duplicate modules, by code where one is given', async () => {
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
