import {
  bffErrorRow,
  type HandshakeCheckResponse,
  type Product,
  TOKEN_PATH,
  type Transport,
} from '@stagepass/contract'
import type { Slot } from '@stagepass/budget'
import { LRUCache } from 'lru-cache/raw'
import { BffError } from '../base/BffError.js'
import type { EmitEvent, UpstreamOperation } from '../telemetry/events.js'
import { atMost } from '../base/platform.js'
import { createHostReport } from '../telemetry/createHostReport.js'
import type { InFlight } from '../request/createInFlight.js'
import type { RequestContext } from '../request/RequestContext.js'
import type { Settings } from '../settings/readOptions.js'
import type { AccountKey, Secret } from '../base/Secret.js'
import { createCredentialReaders } from './createCredentialReaders.js'
import { createKeyReaders } from './createKeyReaders.js'
import type { Redactor } from './createRedactor.js'
import { createSecretReader, type SecretReader } from './createSecretReader.js'
import {
  errorOf,
  type MintedToken,
  type MintRequest,
  readMintedToken,
  readResponse,
  refusedFieldOf,
} from './readResponse.js'
import { withRetries } from './retry.js'
import { reportCall, sendRequest } from './sendRequest.js'
import { tryHandshake } from './tryHandshake.js'

export type MeetingsOperation = Exclude<UpstreamOperation, 'session-token' | 'handshake'>

interface MeetingsRequest {
  /** Path and query under the meetings base, encoded. */
  readonly path: string
  readonly operation: MeetingsOperation
  readonly context: RequestContext
  /** The right to send the request. It is released when the request has ended. */
  readonly slot: Slot
  /** The connection of the attempt before was broken. */
  readonly fresh: boolean
}

/** The body of a 2xx, or the error of a 429 with its `Retry-After`. */
type MeetingsAnswer =
  { readonly body: unknown } | { readonly error: BffError; readonly retryAfterMs: number | undefined }

/** A bearer credential that can be used and compared, but not read. */
export interface Credential {
  /** A name of the value in this process. Equal for equal values. */
  readonly id: string
  /**
   * Sends one request to the meetings interface. For any other response, or for none, rejects with the mapped
   * error.
   */
  get(request: MeetingsRequest): Promise<MeetingsAnswer>
  /**
   * Call it after the upstream refused the credential. Calls the secret's function again. Returns `undefined`
   * if the function returns the same value.
   */
  renew(context: RequestContext): Promise<Credential | undefined>
}

export type Upstream = ReturnType<typeof createUpstream>

/** A token response has a few hundred bytes. A page of 100 meetings with transcripts has many more. */
const MAX_TOKEN_BYTES = 65_536
const MAX_MEETINGS_BYTES = 16_777_216

/** Maximum number of credentials that have an id at the same time. */
const MAX_IDS = 10_000

const USER_AGENT = 'stagepass-bff'

/**
 * Origin and path of a base address. The path ends without a slash. ws: becomes http:, because undici and
 * `fetch` do not accept ws: and wss:.
 */
const placeOf = ({ protocol, host, pathname }: URL) => ({
  origin: `${protocol.replace('ws', 'http')}//${host}`,
  base: pathname.replace(/\/+$/, ''),
})

/** The voice service. Only this folder uses the keys. */
export function createUpstream(
  settings: Settings,
  transport: Transport,
  emit: EmitEvent,
  hold: InFlight['hold'],
  redactor: Redactor,
) {
  const { deadlineMs, platform, streamUrls } = settings
  const { note } = redactor
  const { clock } = platform
  const wayOut = { transport, isOfHost: (settings.dispatcher ?? settings.transport) !== undefined }
  const tokens = placeOf(settings.baseUrl)
  const meetings = placeOf(settings.meetings.baseUrl)
  const tokenPath = tokens.base + TOKEN_PATH

  const readerOf = (name: string, secret: Secret, account?: string): SecretReader =>
    createSecretReader({ name, secret, account, timeoutMs: deadlineMs, clock, emit, hold, note })
  const keyReaderOf = createKeyReaders(
    settings.apiKey === undefined ? undefined : readerOf('apiKey', settings.apiKey),
    (secret, account) => readerOf('apiKey', secret, account),
  )
  const credentialReaderOf = createCredentialReaders((secret) => readerOf('meetings.credential', secret))
  const reportHost = createHostReport(clock)

  // An id reveals nothing about its value. A value that was not used for a long time gets a new id, and then
  // finds none of its old pages.
  const ids = new LRUCache<string, string>(atMost(MAX_IDS))
  let given = 0

  async function postToken(
    key: string,
    request: MintRequest,
    context: RequestContext,
    fresh: boolean,
  ): Promise<MintedToken> {
    note(key)
    // `identity`: without it a gateway may use any coding. (RFC 9110, 12.5.3.)
    const headers = {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': USER_AGENT,
      authorization: `api-key ${key}`,
      'content-type': 'application/json',
    }
    const { origin } = tokens
    const body = JSON.stringify(request)
    const response = await sendRequest(
      wayOut,
      { method: 'POST', origin, path: tokenPath, headers, body, maxBytes: MAX_TOKEN_BYTES, fresh },
      'session-token',
      context,
    )
    if (response.status === 404)
      reportHost(context, 'baseUrl', nothingAt(tokenPath, 'Set "baseUrl" to its address'))
    return readMintedToken(response, request, redactor)
  }

  async function getMeetings(
    value: string,
    { path, operation, context, slot, fresh }: MeetingsRequest,
  ): Promise<MeetingsAnswer> {
    note(value)
    const headers = {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': USER_AGENT,
      authorization: `Bearer ${value}`,
    }
    const { origin, base } = meetings
    const response = await sendRequest(
      wayOut,
      { method: 'GET', origin, path: base + path, headers, maxBytes: MAX_MEETINGS_BYTES, fresh },
      operation,
      context,
      slot,
    )
    const { status, retryAfterMs } = response
    const search = new URLSearchParams(path.replace(/^[^?]*/, ''))
    const field = refusedFieldOf(search, settings.meetings.wire.params, response.text)
    // A meeting may not exist, but a list always does. With a cursor, it is the page that is gone.
    if (status === 404 && operation !== 'meeting' && field !== 'cursor')
      reportHost(context, 'meetings.baseUrl', nothingAt(base + path, LIST_REMEDY))
    if (status !== 429) return { body: readResponse(response, operation, field, redactor) }
    emit?.({ type: 'upstream.rate-limited', requestId: context.id, operation, retryAfterMs })
    return { error: errorOf(response, operation, field, redactor), retryAfterMs }
  }

  function credentialOf(reader: SecretReader, value: string): Credential {
    const id = ids.get(value) ?? `${(given += 1)}`
    ids.set(value, id)
    return {
      id,
      get: (request) => getMeetings(value, request),
      async renew(context) {
        const errorCode = 'MEETINGS_CREDENTIAL_REJECTED'
        const { account } = context
        emit?.({ type: 'secret.rejected', secret: 'meetings.credential', account, errorCode })
        context.stage = 'secret'
        const renewed = await reader.renew(value, context.signal)
        return renewed === undefined ? undefined : credentialOf(reader, renewed)
      },
    }
  }

  return {
    /** `grantKey`: the key that the grant brought. Without it, the key of the options is used. */
    mintToken(
      request: MintRequest,
      grantKey: AccountKey | undefined,
      context: RequestContext,
    ): Promise<MintedToken> {
      const apiKey = keyReaderOf(grantKey)
      // `readGrant` refuses a grant without a key if the options have none.
      if (!apiKey) throw new Error('The grant has no apiKey.')
      let mayRenew = true
      return withRetries(context, 'session-token', async (fresh) => {
        context.stage = 'secret'
        const key = await apiKey.read(context.signal)
        try {
          return await postToken(key, request, context, fresh)
        } catch (error) {
          if (!mayRenew || !isKeyRefused(error)) throw error
          mayRenew = false
          const { account } = context
          emit?.({ type: 'secret.rejected', secret: 'apiKey', account, errorCode: error.code })
          context.stage = 'secret'
          const renewed = await apiKey.renew(key, context.signal)
          if (renewed === undefined) throw error
          return await postToken(renewed, request, context, fresh)
        }
      })
    },

    async openCredential(secret: Secret, user: string, context: RequestContext): Promise<Credential> {
      const reader = credentialReaderOf(secret, user)
      context.stage = 'secret'
      return credentialOf(reader, await reader.read(context.signal))
    },

    /** Opens a socket with the token in a header, and closes it again. */
    tryHandshake(
      product: Product,
      sessionKey: string,
      context: RequestContext,
    ): Promise<HandshakeCheckResponse> {
      const { origin, base } = placeOf(new URL(streamUrls[product]))
      const request = { origin, path: base, authorization: `api-key ${sessionKey}` }
      return reportCall(
        'handshake',
        context,
        () => tryHandshake(wayOut, request, context.signal, clock),
        (verdict) => (verdict.ok ? {} : { errorCode: verdict.error_code, status: verdict.status }),
      )
    },

    /** The address to which the requests of an operation are sent. */
    addressOf(operation: UpstreamOperation): URL {
      if (operation === 'session-token') return settings.baseUrl
      return operation === 'handshake' ? new URL(streamUrls.stt) : settings.meetings.baseUrl
    },

    close: (): Promise<void> => transport.close(),
  }
}

const LIST_REMEDY =
  'Set "meetings.baseUrl" to the base of its meetings interface, and "meetings.wire" if the paths have other names'

/**
 * The problem of a 404 at a path that every voice service has. Without the query, which contains data of a
 * user.
 */
function nothingAt(path: string, remedy: string): string {
  return `The voice service answered 404 for ${path.replace(/\?.*/, '')}: it has nothing at this path. ${remedy}.`
}

function isKeyRefused(error: unknown): error is BffError {
  return error instanceof BffError && bffErrorRow(error.code).refusedSecret === 'apiKey'
}
