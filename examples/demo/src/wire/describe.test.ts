import { expect, it } from 'vitest'
import { maskSecrets } from './describe.js'

it('leaves no session key, however deep, and all else as it is', () => {
  const answer = {
    session_key: 'st_secret',
    usage_type: 'stt',
    inner: [{ authorization: 'api-key st_secret', n: 1 }],
  }
  const masked = maskSecrets(answer)
  expect(JSON.stringify(masked)).not.toContain('st_secret')
  expect(masked).toEqual({
    session_key: '••••••••',
    usage_type: 'stt',
    inner: [{ authorization: '••••••••', n: 1 }],
  })
  expect(answer.session_key).toBe('st_secret')
})
