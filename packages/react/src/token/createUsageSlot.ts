import type { Product } from '@stagepass/contract'
import { createListeners } from '../platform/createListeners.js'
import type { LiveToken } from './TokenSource.js'

/** How long streams of a product were open with its current token. */
export interface UsedTime {
  /** Streams that are open now. */
  open: number
  /** Until when the time is counted. */
  countedAt: number
  usedMs: number
}

/**
 * Where the code of tokens and of streams says what the code of usage needs, for code that does not import
 * it. A part of the client.
 */
export function createUsageSlot() {
  return {
    /** A source has a new token, or no longer has this one. */
    tokens: createListeners<[token: LiveToken, isNew: boolean]>(),
    /** Tokens that code of the application has got, and may use. */
    given: new WeakSet<LiveToken>(),
    /** What the BFF answered to a report. */
    answers: createListeners<[answer: Readonly<Record<string, unknown>>]>(),
    /** Counted up to now. It is here as soon as there may be an open stream. */
    used: undefined as ((product: Product) => UsedTime) | undefined,
  }
}
