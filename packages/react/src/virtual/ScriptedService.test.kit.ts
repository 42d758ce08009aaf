import type { BffErrorCode, HandshakeErrorCode, Product, ProductUsage } from '@stagepass/contract'
import type { Identity, User } from '../client/Client.js'
import type { MeetingFieldName, MeetingWith } from '../meetings/meetingFields.js'
import type { OpenSocket, SendData } from '../platform/socket.js'
import type { ScriptedConnection } from './createScriptedConnection.test.kit.js'

/** How often a script applies. Default: once. */
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
 * A handshake, as it began. `token` counts the tokens that were granted, from 1; times are true milliseconds.
 */
export interface ScriptedHandshake {
  readonly product: Product
  /** For whom the token was requested. */
  readonly identity: Identity
  readonly token: number
  readonly at: number
  readonly expiresAt: number
}

/** A request to the BFF, in order. */
export interface ScriptedRequest {
  readonly path: string
  /** Of the page when it sent the request. */
  readonly identity: Identity
  /** The response has been sent. */
  isDone: boolean
}

/** A meeting of the scripted service: its id, and whatever the test needs of it. */
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
   * What `useMeetings` and `useMeeting` get: the same for every user, or a function of the user. Every list
   * has all of them, whatever its filters. Default: none.
   *
   * @example voice.service.meetings = [{ id: 'm1', title: 'Roadmap' }]
   */
  meetings: readonly ScriptedMeeting[] | ((identity: Identity) => readonly ScriptedMeeting[])
  /** What `useTags` gets. Default: none. */
  tags: readonly unknown[]
  /**
   * What `useUsage` gets, by product. A token of a product that is in it comes with a receipt. It changes
   * only as you set it. Default: nothing is counted.
   */
  usage: { readonly [Name in Product]?: ProductUsage }
  /** Every request that was sent. */
  readonly requests: readonly ScriptedRequest[]
  /** Every handshake that was tried, refused ones included, in order. */
  readonly handshakes: readonly ScriptedHandshake[]
  /** Every connection that came about, in order. */
  readonly connections: readonly ScriptedConnection[]
  /** The same, and the ones that were refused, given up or still wait. */
  readonly attempts: readonly ScriptedConnection[]
  /** Tokens that were granted. */
  readonly tokensGranted: number
  /** For whom a token was requested; `undefined` if the service did not grant it. */
  ownerOf(token: string): Identity | undefined
  /** Handshakes that the BFF was asked to try. */
  readonly checks: number
  /** What a server does with a message. Default: nothing. */
  onMessage: (connection: ScriptedConnection, data: SendData) => void
  /**
   * More than so many connections at once are refused with `concurrency_limit_exceeded`. Default: no limit.
   */
  maxSessions: number
  /** Connections are closed when their token expires. Default false. */
  cutAtExpiry: boolean
  /** The next token requests get this error. */
  failToken(code: BffErrorCode, options?: Times): void
  /** The next handshakes are refused, with one of the four codes or with a bare number such as 402. */
  refuse(cause: HandshakeErrorCode | number, options?: RefuseOptions): void
  /** The next handshakes get no response. */
  hang(options?: Times): void
  /** The next connections are accepted and closed at once. */
  acceptThenClose(options?: Times & { code?: number | undefined; reason?: string | undefined }): void
  /** Cuts the connection in use after so many more messages from the client. */
  dropAfter(messages: number): void
  /** No request and no handshake reaches anything. */
  unreachable: boolean
  /**
   * The service forgets all tokens granted so far: they are refused from now on, and cut under `cutAtExpiry`.
   */
  revokeTokens(): void
}
