import { renderHook } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createVoiceClient } from '../client/createVoiceClient.js'
import { useStream, type UseStreamOptions } from '../stream/useStream.js'
import { pageOf } from '../client/pageOf.test.kit.js'

afterEach(() => void vi.restoreAllMocks())

/** What the call of the hook throws. */
function thrownBy(options: unknown): unknown {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const voice = createVoiceClient({ url: '/api/voice' })
  try {
    renderHook(() => useStream('stt', { enabled: false, ...(options as UseStreamOptions<string, string>) }), {
      wrapper: pageOf(voice),
    })
    return undefined
  } catch (thrown) {
    return thrown
  }
}

const sentence = (seen: string): TypeError =>
  new TypeError(
    `Failed to read the options: ${seen}. Give a number of at least 1, or Infinity for no limit, or leave it out.`,
  )

describe('a time that makes no sense throws at the call', () => {
  it.each([0, -1, NaN, '5000', null])('of createVoiceClient: %s', (timeoutMs) => {
    // @ts-expect-error -- plain JavaScript may give anything
    expect(() => createVoiceClient({ url: '/api/voice', timeoutMs })).toThrow(
      sentence(`timeoutMs is ${timeoutMs}`),
    )
  })

  it.each([
    [{ connectTimeoutMs: 0 }, 'connectTimeoutMs is 0'],
    [{ reconnect: { silenceMs: 0 } }, 'reconnect.silenceMs is 0'],
    [{ reconnect: { silenceMs: NaN } }, 'reconnect.silenceMs is NaN'],
    [{ reconnect: { minDelayMs: '1' } }, 'reconnect.minDelayMs is 1'],
    [{ reconnect: { maxDelayMs: -1 } }, 'reconnect.maxDelayMs is -1'],
    [{ reconnect: { stableMs: NaN } }, 'reconnect.stableMs is NaN'],
    [{ reconnect: { maxAttempts: NaN } }, 'reconnect.maxAttempts is NaN'],
    [{ queue: { maxBytes: NaN } }, 'queue.maxBytes is NaN'],
    [{ queue: { maxAgeMs: -1 } }, 'queue.maxAgeMs is -1'],
    [{ rollover: { silenceMs: NaN } }, 'rollover.silenceMs is NaN'],
    [{ rollover: { deadlineMs: -1 } }, 'rollover.deadlineMs is -1'],
    [{ codec: { readyTimeoutMs: 0 } }, 'codec.readyTimeoutMs is 0'],
  ])('of useStream: %o', (options, seen) => {
    expect(thrownBy(options)).toEqual(sentence(seen))
  })

  it('not of a function of a codec whose name ends like a time', () => {
    expect(thrownBy({ codec: { finalUntilMs: () => 1 } })).toBeUndefined()
  })

  it('of `finish`', () => {
    const voice = createVoiceClient({ url: '/api/voice' })
    const { result } = renderHook(() => useStream('stt', { enabled: false }), {
      wrapper: pageOf(voice),
    })
    expect(() => result.current.finish({ timeoutMs: NaN })).toThrow(sentence('finish.timeoutMs is NaN'))
    expect(() => result.current.finish({ timeoutMs: 0 })).not.toThrow()
  })
})

it.each([
  {},
  { connectTimeoutMs: undefined, reconnect: undefined },
  { connectTimeoutMs: Infinity, reconnect: { silenceMs: Infinity, maxAttempts: Infinity } },
  { reconnect: { minDelayMs: 0, stableMs: 0, maxAttempts: 0 }, rollover: { silenceMs: 0, deadlineMs: 0 } },
  { queue: { maxAgeMs: 0, maxBytes: Infinity }, rollover: 'seamless' },
])('%o throws nothing', (options) => expect(thrownBy(options)).toBeUndefined())
