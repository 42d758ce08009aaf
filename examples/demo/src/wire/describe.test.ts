import { expect, it } from 'vitest'
import { describeEvent, maskSecrets } from './describe.js'

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

it('shows an event of silence on the line of the sockets, and with its kind', () => {
  const of = { product: 'stt', key: 'silence', at: 0 } as const
  expect(describeEvent({ type: 'silence.kept_open', falseAlarms: 5, forMs: 60_000, ...of })).toMatchObject({
    lane: 'stream',
    line: 'stream',
    title: 'stt silence kept open',
  })
  expect(describeEvent({ type: 'stream.closed', ...of })).toMatchObject({
    lane: 'stream',
    line: 'stream',
    title: 'stt closed',
  })
})
