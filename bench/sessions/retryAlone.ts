import type { VirtualClock } from '@stagepass/testing/virtualClock'
import { type Leased, type Queued, SessionsRefusal } from '../../packages/budget/src/sessions/Sessions.js'
import type { PageSessions } from '../../packages/budget/src/sessions/runPages.test.kit.js'
import { VoiceError } from '../../packages/react/src/errors/VoiceError.js'
import type { StepContext } from '../../packages/react/src/stream/machine/attempt.js'
import { checked, recover } from '../../packages/react/src/stream/machine/recover.js'
import { NO_RETRIES, type RetryState } from '../../packages/react/src/stream/machine/state.js'
import type { LiveToken } from '../../packages/react/src/token/TokenSource.js'

/**
 * No queue: each request gets a token at once, and a page that was refused tries again by itself, with the rules
 * of a stream. The check of a handshake always finds that the account is full, and is not counted.
 */
export function retryAlone(clock: VirtualClock, random: () => number): PageSessions {
  const pages = new Map<string, RetryState>()
  let generation = 0
  const nextGeneration = (): number => (generation += 1)

  const leased = (id: string): Leased => ({ status: 'leased', id, retryMs: 0, waitedMs: 0 })

  function refused(id: string): Leased | Queued {
    const context: StepContext = {
      now: clock.now(),
      online: true,
      settings: {},
      isUnfinished: false,
      random,
      nextGeneration,
    }
    // Only its generation is read.
    const token = { generation: nextGeneration() } as LiveToken
    const failure = { error: new VoiceError('CONNECTION_REFUSED'), refused: token }
    let state = recover(pages.get(id) ?? NO_RETRIES, failure, context)
    if (state.status === 'reconnecting' && state.next.step === 'checking') {
      const error = new VoiceError('concurrency_limit_exceeded', { retryable: true })
      state = checked(state, { type: 'checked', generation: state.next.generation, error }, context)
    }
    if (state.status !== 'reconnecting') throw new SessionsRefusal('full', Infinity)
    pages.set(id, state.retries)
    if (state.next.step !== 'backoff') return leased(id)
    return { status: 'queued', id, place: null, of: null, retryMs: state.next.until - context.now }
  }

  return {
    ask: async ({ id = '' }) => leased(id),
    refused: async (id) => refused(id),
    async renew(id) {
      pages.delete(id)
      return { status: 'leased', retryMs: 0, forMs: 0, note: '' }
    },
    release: async () => undefined,
    gauge: () => ({ open: 0, waiting: 0, max: undefined, learned: false }),
    close: async () => undefined,
  }
}
