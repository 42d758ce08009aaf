import { describe, expect, it } from 'vitest'
import { SessionToken } from '../token/SessionToken.js'
import type { LiveToken } from '../token/TokenSource.js'
import type { World } from './recover.js'
import type { StreamState } from './StreamState.js'
import { NO_TRIES } from './StreamState.js'
import { transition } from './transition.js'

/*
 * What the token source does not do today: it gives out no dead token, and announces none twice. The machine does not rely on it.
 */

const token = (generation: number, deadline: number): LiveToken => ({
  product: 'stt',
  token: new SessionToken(`st_${generation}`),
  streamUrl: 'ws://localhost/stt',
  expiresAt: new Date(0),
  deadline,
  generation,
})

const world: World = {
  now: 10_000,
  online: true,
  settings: { rollover: 'seamless' },
  random: () => 0,
  nextId: () => 2,
}

describe('transition', () => {
  it('opens no socket on a token that died on the way', () => {
    const state: StreamState = { status: 'connecting', trial: { step: 'minting', id: 1, not: undefined } }
    const next = transition(state, { type: 'minted', id: 1, token: token(1, 10_000) }, world)
    expect(next).toMatchObject({ status: 'reconnecting', error: { code: 'TOKEN_EXPIRED' } })
  })

  it('rolls over to no token that was refused before', () => {
    const link = { id: 1, token: token(1, 20_000), stableAt: 0 }
    const state: StreamState = { status: 'open', link, tries: { ...NO_TRIES, not: 2 } }
    expect(transition(state, { type: 'renewed', token: token(2, 90_000) }, world)).toBe(state)
    const next = transition(state, { type: 'renewed', token: token(3, 90_000) }, world)
    expect(next.status).toBe('rolling over')
  })
})
