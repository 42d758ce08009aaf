import type { LostBy } from '../../errors/lostBy.js'
import { SessionToken } from '../../token/SessionToken.js'
import type { LiveToken } from '../../token/TokenSource.js'
import { VoiceError } from '../../errors/VoiceError.js'
import type { StepContext } from './attempt.js'
import type { StreamInput } from './input.js'
import { type Attempt, type Connection, type Handshake, NO_RETRIES, type RetryState } from './state.js'
import type { Standby, StateOf, StreamState } from './state.js'
import { transition } from './transition.js'

export const NOW = 10_000

/** The token of a generation. It lives for 90 s from `NOW`. */
export const tokenOf = (generation: number, deadline = NOW + 90_000): LiveToken => ({
  product: 'stt',
  token: new SessionToken(`st_${generation}`),
  streamUrl: 'ws://localhost/stt',
  expiresAt: new Date(0),
  deadline,
  renewAt: deadline,
  ttlMinutes: 180,
  generation,
})

/** Online at `NOW`. The next attempt is number 7, and `random()` is 0.5. */
const contextOf = (more: Partial<StepContext> = {}): StepContext => ({
  now: NOW,
  online: true,
  settings: {},
  isUnfinished: false,
  random: () => 0.5,
  nextGeneration: () => 7,
  ...more,
})

export const step = (state: StreamState, input: StreamInput, more?: Partial<StepContext>): StreamState =>
  transition(state, input, contextOf(more))

/** A connection of generation 1 that is stable in five seconds. */
export const CONNECTION: Connection = { generation: 1, token: tokenOf(1), stableAt: NOW + 5_000 }

export const HANDSHAKE: Handshake = {
  step: 'opening',
  generation: 2,
  token: tokenOf(2),
  giveUpAt: NOW + 3_000,
}

export const STANDBY: Standby = {
  step: 'ready',
  generation: 2,
  token: tokenOf(2),
  readyAt: NOW - 100,
  switchBy: NOW + 4_000,
}

/** Two failures, one of them a refusal of the token of generation 5. */
export const TRIED: RetryState = { failures: 2, refusals: 1, refusedGeneration: 5 }

export const LOST = new VoiceError('CONNECTION_LOST')

export const lostBy = (by: LostBy): VoiceError => new VoiceError('CONNECTION_LOST', { lostBy: by })

export const connectingOf = (attempt: Attempt): StateOf<'connecting'> => ({
  status: 'connecting',
  attempt,
  retries: NO_RETRIES,
})

export const openOf = (more: Partial<StateOf<'open'>> = {}): StateOf<'open'> => ({
  status: 'open',
  connection: CONNECTION,
  retries: NO_RETRIES,
  ...more,
})

export const rollingOf = (standby: Handshake | Standby = HANDSHAKE): StateOf<'rolling over'> => ({
  status: 'rolling over',
  connection: CONNECTION,
  retries: TRIED,
  standby,
})

export const reconnectingOf = (
  next: StateOf<'reconnecting'>['next'],
  retries = TRIED,
): StateOf<'reconnecting'> => ({ status: 'reconnecting', retries, error: LOST, next })

export const BACKOFF = { step: 'backoff', since: NOW - 200, until: NOW + 20_000 } as const
export const MINTING = { step: 'minting', generation: 2, refusedGeneration: undefined } as const
export const CHECKING = { step: 'checking', generation: 2, token: tokenOf(2) } as const
