import type { BffErrorCode, HandshakeErrorCode, Product, ProductUsage } from '@stagepass/contract'
import type { Identity, User } from '../identity/Client.js'
import type { MeetingFieldName, MeetingWith } from '../meetings/meetingFields.js'
import type { OpenSocket, SendData } from '../platform/socket.js'
import type { ScriptedConnection } from './createScriptedConnection.test.kit.js'

/** How many times a script applies. Default: once. */
export interface Times {
  times?: number | undefined
}

interface RefuseOptions extends Times {
  /**
   * How a refusal reaches the client: as a status (seen as close 1006), as an error frame, or as a close
   * reason. Default `status`.
   */
  by?: 'status' | 'frame' | 'close' | undefined
}

/**
 * A handshake at its beginning. `token` counts the granted tokens, from 1. Times are real milliseconds, with
 * sleep.
 */
export interface ScriptedHandshake {
  readonly product: Product
  /** The identity for which the token was requested. */
  readonly identity: Identity
  readonly token: number
  readonly at: number
  readonly expiresAt: number
}

/** A request to the BFF, in order. */
export interface ScriptedRequest {
  readonly path: string
  /** The identity of the page when it sent the request. */
  readonly identity: Identity
  /** True after the response was sent. */
  isDone: boolean
}

/** A meeting of the scripted service: its id, and the fields that the test needs. */
type ScriptedMeeting = { readonly id: string } & Partial<MeetingWith<readonly MeetingFieldName[]>>

/** The BFF and the streams of a page, in memory. */
export interface ScriptedService {
  readonly fetch: typeof globalThis.fetch
  readonly openSocket: OpenSocket
  /**
   * The user of the BFF's login session, `null` for nobody. Default `undefined`: any user that the page
   * names. A request that names another one fails with USER_CHANGED.
   */
  user: User
  /**
   * The rows for `useMeetings` and `useMeeting`: the same for every user, or a function of the user. Every
   * list has all of them, with any filters. Default: none.
   *
   * @example voice.service.meetings = [{ id: 'm1', title: 'Roadmap' }]
   */
  meetings: readonly ScriptedMeeting[] | ((identity: Identity) => readonly ScriptedMeeting[])
  /** The tags for `useTags`. Default: none. */
  tags: readonly unknown[]
  /**
   * The minutes for `useUsage`, by product. A token of such a product has a receipt. Only the test changes
   * it. Default: nothing is counted.
   */
  usage: { readonly [Name in Product]?: ProductUsage }
  /** Every request that was sent. */
  readonly requests: readonly ScriptedRequest[]
  /** Every handshake, including refused ones, in order. */
  readonly handshakes: readonly ScriptedHandshake[]
  /** Every connection that was opened, in order. */
  readonly connections: readonly ScriptedConnection[]
  /** The opened connections, and those that were refused, cancelled or still wait. */
  readonly attempts: readonly ScriptedConnection[]
  /** Tokens that were granted. */
  readonly tokensGranted: number
  /** The identity for which a token was requested; `undefined` if the service did not grant it. */
  ownerOf(token: string): Identity | undefined
  /** Handshakes that the BFF was asked to try. */
  readonly checks: number
  /** The server's reaction to a message. Default: none. */
  onMessage: (connection: ScriptedConnection, data: SendData) => void
  /**
   * The most connections at the same time; others are refused with `concurrency_limit_exceeded`. Default: no
   * limit.
   */
  maxSessions: number
  /** Connections are closed when their token expires. Default false. */
  cutAtExpiry: boolean
  /** The next token requests get this error. */
  failToken(code: BffErrorCode, options?: Times): void
  /** The next handshakes are refused, with one of the four codes or with a bare number such as 402. */
  refuse(cause: HandshakeErrorCode | number, options?: RefuseOptions): void
  /** The BFF's handshake checks get this error. Default: they tell the reason. */
  checkProblem: BffErrorCode | undefined
  /** The next handshakes get no response. */
  hang(options?: Times): void
  /** The next connections are accepted and closed at once. */
  acceptThenClose(options?: Times & { code?: number | undefined; reason?: string | undefined }): void
  /** Cuts the current connection after this many more messages from the client. */
  dropAfter(messages: number): void
  /** True: no request and no handshake gets a response. */
  unreachable: boolean
  /**
   * The service forgets all granted tokens: they are refused from now on, and their connections are closed
   * with `cutAtExpiry`.
   */
  revokeTokens(): void
}
