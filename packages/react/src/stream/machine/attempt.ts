import type { LiveToken } from '../../token/TokenSource.js'
import { CONNECT_TIMEOUT_MS, STABLE_MS, type StreamSettings } from './settings.js'
import type { Attempt, Connection, Handshake } from './state.js'

/** Everything that a transition reads in addition to the state. */
export interface StepContext {
  /** Monotonic milliseconds. */
  readonly now: number
  readonly online: boolean
  readonly settings: StreamSettings
  /** True while speech is kept that is not final. */
  readonly isUnfinished: boolean
  random(): number
  nextGeneration(): number
}

/** An attempt that starts with a request for a token. */
export function mint(context: StepContext, refusedGeneration?: number): Attempt {
  return { step: 'minting', generation: context.nextGeneration(), refusedGeneration }
}

/** An attempt that starts with a handshake. */
export function open(generation: number, token: LiveToken, { now, settings }: StepContext): Handshake {
  return {
    step: 'opening',
    generation,
    token,
    giveUpAt: now + (settings.connectTimeoutMs ?? CONNECT_TIMEOUT_MS),
  }
}

/** A socket that is in use from now on. */
export function connection(generation: number, token: LiveToken, context: StepContext): Connection {
  return { generation, token, stableAt: context.now + (context.settings.reconnect?.stableMs ?? STABLE_MS) }
}
