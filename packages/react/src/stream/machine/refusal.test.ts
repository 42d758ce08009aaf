import type { RefusalCode } from '@stagepass/contract'
import { describe, expect, it } from 'vitest'
import { isAboutToken, toVoiceError, withoutToken } from './refusal.js'
import { LOST, tokenOf } from './step.test.kit.js'

/** Whether a fresh token may be accepted. A new code does not compile without its answer. */
const ABOUT_TOKEN = {
  missing_authorization_header: false,
  invalid_api_key: false,
  unauthorized: true,
  concurrency_limit_exceeded: false,
  STREAM_ERROR: false,
} as const satisfies Record<RefusalCode, boolean>

describe('a refusal', () => {
  it('is an error with its status: from the service, or of its code', () => {
    const refused = { code: 'unauthorized', retryable: true } as const
    expect(toVoiceError(refused, 'CONNECTION_LOST')).toMatchObject({
      code: 'unauthorized',
      status: 403,
      retryable: true,
    })
    expect(toVoiceError({ ...refused, status: 4001 }, 'CONNECTION_LOST')).toMatchObject({ status: 4001 })
    expect(toVoiceError({ code: 'invalid_api_key', retryable: false }, 'CONNECTION_LOST').retryable).toBe(
      false,
    )
    expect(toVoiceError(undefined, 'CONNECTION_LOST')).toEqual(LOST)
    expect(toVoiceError({ code: 'STREAM_ERROR', retryable: true }, 'CONNECTION_LOST').status).toBeUndefined()
  })

  it('S20 has the words of the service only as its cause', () => {
    const refused = { code: 'unauthorized', retryable: true } as const
    expect(toVoiceError({ ...refused, words: 'no key' }, 'CONNECTION_LOST').cause).toEqual(
      new Error('no key'),
    )
    expect(toVoiceError(refused, 'CONNECTION_LOST')).not.toHaveProperty('cause')
  })

  it.each(Object.entries(ABOUT_TOKEN) as [RefusalCode, boolean][])(
    'is about the token if it is %s: %s',
    (code, expected) => expect(isAboutToken({ code, retryable: true })).toBe(expected),
  )

  it('without a code is not about the token', () => {
    expect(isAboutToken(undefined)).toBe(false)
  })

  it('S31 has no words that repeat the token', () => {
    const live = tokenOf(1)
    const refused = { code: 'unauthorized', retryable: true, words: 'bad key st_1!' } as const
    expect(withoutToken(refused, live)).toEqual({ ...refused, words: undefined })
    expect(withoutToken(refused, tokenOf(2))).toEqual(refused)
    expect(withoutToken({ ...refused, words: undefined }, live)).toHaveProperty('words', undefined)
    expect(withoutToken(undefined, live)).toBeUndefined()
  })
})
