import type { BrowserEmulator } from '@stagepass/emulator/browser'
import type { VoiceClientOptions } from '@stagepass/react'
import type { Browser } from './Browser.js'

export type User = 'ada' | 'ben'

/** The messages on the wire of one side. */
export interface Counts {
  opened: number
  refused: number
  tokens: number
  /** Requests that the service refused because of its rate limit. */
  limited: number
}

/** A browser in which somebody is signed in. */
export interface SignedIn {
  readonly browser: Browser
  /** For `createVoiceClient`. */
  readonly clientOptions: VoiceClientOptions
}

/** One half of a comparison: a service, a server and browsers of its own. */
export interface Side {
  readonly emulator: BrowserEmulator
  readonly counts: Counts
  /** A browser with a session cookie of this user. `user` is read at each request. */
  signIn(user: () => User): SignedIn
  /** Who has paid for the open WebSocket. */
  socketOf(): User | undefined
  /** Turns all microphones off. */
  mute(): void
  close(): void
}
