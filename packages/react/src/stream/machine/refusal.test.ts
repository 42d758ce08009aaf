import { describe, expect, it } from 'vitest'
import { toVoiceError, withoutToken } from './refusal.js'
import { tokenOf } from './step.test.kit.js'

describe('a refusal', () => {
  it('S20 has the words of the service only as its cause', () => {
    const refused = { code: 'unauthorized', retryable: true } as const
    expect(toVoiceError({ ...refused, words: 'no key' }, 'CONNECTION_LOST').cause).toEqual(
      new Error('no key'),
    )
    expect(toVoiceError(refused, 'CONNECTION_LOST')).not.toHaveProperty('cause')
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
