import { expect, it } from 'vitest'
import { summarize } from './summarize.js'

it('shows the id of the request that issued the token, to quote to the support of the service', () => {
  const of = { product: 'stt', at: 0, generation: 1, tookMs: 40, reqId: 'a1b2' } as const
  const minted = summarize(new Map(), { ...of, type: 'token.minted', expiresInMs: 9_000 })
  expect(minted.get('stt token')?.note).toBe('no. 1, for 9.0 s, request a1b2')
  const opened = summarize(new Map(), { ...of, key: 'default', type: 'stream.opened' })
  expect(opened.get('stt · default')?.note).toBe('no. 1, after 0.0 s, request a1b2')
})
