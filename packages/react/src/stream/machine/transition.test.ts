import { describe, expect, it } from 'vitest'
import type { StepContext } from './attempt.js'
import { NO_RETRIES, type StreamState } from './state.js'
import { connectingOf, tokenOf } from './step.test.kit.js'
import { transition } from './transition.js'

/*
 * The token source returns no expired token, and reports no token twice. The state machine does not rely on
 * this.
 */

const context: StepContext = {
  now: 10_000,
  online: true,
  settings: { rollover: 'seamless' },
  random: () => 0,
  nextGeneration: () => 2,
}

describe('transition', () => {
  it('opens no socket with a token that expired during its request', () => {
    const state = connectingOf({ step: 'minting', generation: 1, refusedGeneration: undefined })
    const next = transition(state, { type: 'minted', generation: 1, token: tokenOf(1, 10_000) }, context)
    expect(next).toMatchObject({ status: 'reconnecting', error: { code: 'TOKEN_EXPIRED' } })
  })

  it('does not roll over to a token that was refused before', () => {
    const connection = { generation: 1, token: tokenOf(1, 20_000), stableAt: 0 }
    const state: StreamState = {
      status: 'open',
      connection,
      retries: { ...NO_RETRIES, refusedGeneration: 2 },
    }
    expect(transition(state, { type: 'renewed', token: tokenOf(2, 90_000) }, context)).toBe(state)
    const next = transition(state, { type: 'renewed', token: tokenOf(3, 90_000) }, context)
    expect(next.status).toBe('rolling over')
  })
})
