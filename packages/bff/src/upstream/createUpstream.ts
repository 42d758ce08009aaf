import {
  type HandshakeCheckResponse,
  type ServiceRequest,
  TOKEN_PATH,
  type Transport,
} from '@stagepass/contract'
import type { Slot } from '@stagepass/budget'
import { withSecret } from '../accounts/withSecret.js'
import type { BffError } from '../base/BffError.js'
import type { UpstreamOperation } from '../telemetry/events.js'
import { createHostReport } from '../telemetry/createHostReport.js'
import type { Secret } from '../base/Secret.js'
import type { Settings } from '../settings/readOptions.js'
import type { Redactor } from './createRedactor.js'
import {
  errorOf,
  type MintedToken,
  type MintRequest,
  readMintedToken,
  readResponse,
  refusedFieldOf,
} from './readResponse.js'
import { withRetries } from './retry.js'
import { createConcurrencyLimit } from './createConcurrencyLimit.js'
import { reportCall, type Sender, sendRequest } from './sendRequest.js'
import { tryHandshake } from './tryHandshake.js'

export type MeetingsOperation = Exclude<UpstreamOperation, 'session-token' | 'handshake'>

/** One operation of the meetings interface. */
export interface MeetingsCall {
  /** Path and query under the meetings base, encoded. */
  readonly path: string
  readonly operation: MeetingsOperation
  /** Default: GET. */
  readonly method?: ServiceRequest['method'] | undefined
  /** JSON. */
  readonly body?: string | undefined
}

interface MeetingsRequest extends MeetingsCall, Sender {
  /** The right to send the request. It is released when the request has ended. */
  readonly slot: Slot
  /** The connection of the attempt before was broken. */
  readonly fresh: boolean
}

/** The body of a 2xx, or the error of a 429 with its `Retry-After`. */
type MeetingsAnswer =
  { readonly body: unknown } | { readonly error: BffError; readonly retryAfterMs: number | undefined }

export type Upstream = ReturnType<typeof createUpstream>

/** A token response has a few hundred bytes. A page of 100 meetings with transcripts has many more. */
const MAX_TOKEN_BYTES = 65_536
const MAX_MEETINGS_BYTES = 16_777_216

/**
 * All headers of a request: none is from the page. `identity`: without it a gateway may use any coding. (RFC
 * 9110, 12.5.3.)
 */
const headersOf = (authorization: string, body: string | undefined) => ({
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'stagepass-bff',
  authorization,
  ...(body !== undefined && { 'content-type': 'application/json' }),
})

/**
 * Origin and path of a base address. The path ends without a slash. ws: becomes http:, because undici and
 * `fetch` do not accept ws: and wss:.
 */
const placeOf = ({ protocol, host, pathname }: URL) => ({
  origin: `${protocol.replace('ws', 'http')}//${host}`,
  base: pathname.replace(/\/+$/, ''),
})

/** The voice service: its addresses and responses. Only this folder sends the keys. */
export function createUpstream(settings: Settings, transport: Transport, redactor: Redactor) {
  const { platform, streamUrls } = settings
  const { clock } = platform
  const { note } = redactor
  const wayOut = {
    transport,
    concurrency: createConcurrencyLimit(),
    isOfHost: (settings.dispatcher ?? settings.transport) !== undefined,
  }
  const tokens = placeOf(settings.baseUrl)
  const meetings = placeOf(settings.meetings.baseUrl)
  const tokenPath = tokens.base + TOKEN_PATH

  const reportHost = createHostReport(clock)

  async function postToken(
    key: string,
    request: MintRequest,
    sender: Sender,
    fresh: boolean,
  ): Promise<MintedToken> {
    note(key)
    const { origin } = tokens
    const body = JSON.stringify(request)
    const response = await sendRequest(wayOut, sender, 'session-token', {
      method: 'POST',
      origin,
      path: tokenPath,
      headers: headersOf(`api-key ${key}`, body),
      body,
      maxBytes: MAX_TOKEN_BYTES,
      fresh,
    })
    if (response.status === 404)
      reportHost(sender.context, 'baseUrl', nothingAt(tokenPath, 'Set "baseUrl" to its address'))
    return readMintedToken(response, request, redactor)
  }

  return {
    /** `secret`: the key that the grant brought. */
    async mintToken(request: MintRequest, secret: Secret | undefined, sender: Sender): Promise<MintedToken> {
      const { account, context } = sender
      const apiKey = account.keyOf(secret)
      // `readGrant` refuses a grant without a key if the options have none.
      if (!apiKey) throw new Error('The grant has no apiKey.')
      return withSecret(apiKey, context, async (key) => {
        await account.admit(key)
        return withRetries(context, 'session-token', (fresh) => postToken(key, request, sender, fresh))
      })
    },

    /**
     * Sends one request to the meetings interface. For any other response than a 2xx or a 429, or for none,
     * rejects with the mapped error.
     */
    async sendMeetings(
      credential: string,
      { path, operation, method = 'GET', body, slot, fresh, ...sender }: MeetingsRequest,
    ): Promise<MeetingsAnswer> {
      note(credential)
      const headers = headersOf(`Bearer ${credential}`, body)
      const { origin, base } = meetings
      const response = await sendRequest(
        wayOut,
        sender,
        operation,
        { method, origin, path: base + path, headers, body, maxBytes: MAX_MEETINGS_BYTES, fresh },
        slot,
      )
      const { context } = sender
      const { status, retryAfterMs } = response
      const isOther = operation === 'request'
      const search = new URLSearchParams(isOther ? '' : path.replace(/^[^?]*/, ''))
      const field = refusedFieldOf(search, settings.meetings.wire.params, response.text)
      // A meeting may not exist, but a list always does. With a cursor, it is the page that is gone.
      if (status === 404 && operation !== 'meeting' && !isOther && field !== 'cursor')
        reportHost(context, 'meetings.baseUrl', nothingAt(base + path, LIST_REMEDY))
      if (isOther && status >= 200 && status < 300 && response.text.trim() === '') return { body: undefined }
      if (status !== 429) return { body: readResponse(response, operation, field, redactor) }
      context.emit?.({ type: 'upstream.rate-limited', requestId: context.id, operation, retryAfterMs })
      return { error: errorOf(response, operation, field, redactor), retryAfterMs }
    },

    /** Opens a socket at this address with the token in a header, and closes it again. */
    tryHandshake(streamUrl: string, sessionKey: string, sender: Sender): Promise<HandshakeCheckResponse> {
      const address = new URL(streamUrl)
      const { origin, base } = placeOf(address)
      const request = { origin, path: base + address.search, authorization: `api-key ${sessionKey}` }
      return reportCall(wayOut, sender, {
        operation: 'handshake',
        send: () => tryHandshake(wayOut, request, sender.context.signal, clock),
        describe: (verdict) => (verdict.ok ? {} : { errorCode: verdict.error_code, status: verdict.status }),
      })
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
