import { TOKEN_PATH, type Transport } from '@stagepass/contract'
import { BffError } from '../errors/BffError.js'
import { createHostReport } from '../request/createHostReport.js'
import type { EmitEvent } from '../events/events.js'
import type { RequestContext } from '../request/RequestContext.js'
import type { InFlight } from '../request/createInFlight.js'
import type { Settings } from '../settings/readOptions.js'
import type { Secret } from '../settings/Secret.js'
import { createCredentialReaders } from './createCredentialReaders.js'
import { createSecretReader, type SecretReader } from './createSecretReader.js'
import { createIds } from './createIds.js'
import { errorOf, readMintedToken, readResponse, requestedWaitMs } from './readResponse.js'
import { createRetries } from './retry.js'
import { reportCall, sendRequest } from './sendRequest.js'
import { tryHandshake } from './tryHandshake.js'
import type {
  Credential,
  MeetingsAnswer,
  MintedToken,
  MintRequest,
  Upstream,
  UpstreamMeetingsRequest,
} from './Upstream.js'

/** A token response has a few hundred bytes; a page of 100 meetings with transcripts has many more. */
const MAX_TOKEN_BYTES = 65_536
const MAX_MEETINGS_BYTES = 16_777_216

const USER_AGENT = 'stagepass-bff'

/** The path of a base without its last slash, so that another path can follow. */
const pathOf = (base: URL): string => base.pathname.replace(/\/+$/, '')

/** Where the requests of an interface go. undici and `fetch` know no ws: and wss:. */
const originOf = ({ protocol, host }: URL): string => `${protocol.replace('ws', 'http')}//${host}`

export function createUpstream(
  settings: Settings,
  transport: Transport,
  emit: EmitEvent,
  hold: InFlight['hold'],
): Upstream {
  const { deadlineMs, platform, streamUrls } = settings
  const { clock, wallNow } = platform
  const tokenOrigin = originOf(settings.baseUrl)
  const tokenPath = pathOf(settings.baseUrl) + TOKEN_PATH
  const meetingsOrigin = originOf(settings.meetings.baseUrl)
  const meetingsBase = pathOf(settings.meetings.baseUrl)

  const readerOf = (name: string, secret: Secret): SecretReader =>
    createSecretReader({ name, secret, timeoutMs: deadlineMs, clock, emit, hold })
  const apiKey = readerOf('apiKey', settings.apiKey)
  const reportHost = createHostReport()
  const idOf = createIds()
  /** The API key that was sent last. It must not come back in a response of the other interface either. */
  let lastKey: string | undefined
  const credentialReaderOf = createCredentialReaders((secret) => readerOf('meetings.credential', secret))

  async function postToken(key: string, request: MintRequest, context: RequestContext): Promise<MintedToken> {
    lastKey = key
    // Written out, not spread: an object of one shape for every request is cheaper.
    const headers = {
      accept: 'application/json',
      'user-agent': USER_AGENT,
      authorization: `api-key ${key}`,
      'content-type': 'application/json',
    }
    const body = JSON.stringify(request)
    const response = await sendRequest({
      transport,
      request: {
        method: 'POST',
        origin: tokenOrigin,
        path: tokenPath,
        headers,
        body,
        maxBytes: MAX_TOKEN_BYTES,
      },
      operation: 'session-token',
      context,
    })
    if (response.status === 404)
      reportHost(context, 'baseUrl', nothingAt(tokenPath, 'Set "baseUrl" to its address'))
    return readMintedToken(response, request, key, wallNow)
  }

  async function getMeetings(value: string, request: UpstreamMeetingsRequest): Promise<MeetingsAnswer> {
    const { path, operation, context, slot } = request
    const headers = {
      accept: 'application/json',
      'user-agent': USER_AGENT,
      authorization: `Bearer ${value}`,
    }
    const response = await sendRequest({
      transport,
      request: {
        method: 'GET',
        origin: meetingsOrigin,
        path: meetingsBase + path,
        headers,
        maxBytes: MAX_MEETINGS_BYTES,
      },
      operation,
      context,
      slot,
    })
    // A meeting may not exist; a list always does.
    if (response.status === 404 && operation !== 'meeting')
      reportHost(context, 'meetings.baseUrl', nothingAt(meetingsBase + path, LIST_REMEDY))
    if (response.status !== 429)
      return { body: readResponse(response, operation, 'fields', [value, lastKey], wallNow) }
    const retryAfterMs = requestedWaitMs(response, wallNow)
    emit?.({ type: 'upstream.rate-limited', requestId: context.id, operation, retryAfterMs })
    return { error: errorOf(response, operation, 'fields', [value, lastKey], wallNow), retryAfterMs }
  }

  function credentialOf(reader: SecretReader, value: string): Credential {
    return {
      id: idOf(value),
      get: (request) => getMeetings(value, request),
      async renew(context) {
        const errorCode = 'MEETINGS_CREDENTIAL_REJECTED'
        emit?.({ type: 'secret.rejected', secret: 'meetings.credential', errorCode })
        context.stage = 'secret'
        const renewed = await reader.renew(value, context.signal)
        return renewed === undefined ? undefined : credentialOf(reader, renewed)
      },
    }
  }

  return {
    async mintToken(request, context) {
      const retries = createRetries(context, 'session-token')
      let mayRenew = true
      for (;;) {
        try {
          context.stage = 'secret'
          const key = await apiKey.read(context.signal)
          try {
            return await postToken(key, request, context)
          } catch (error) {
            if (!mayRenew || !isKeyRefused(error)) throw error
            mayRenew = false
            emit?.({ type: 'secret.rejected', secret: 'apiKey', errorCode: error.code })
            context.stage = 'secret'
            const renewed = await apiKey.renew(key, context.signal)
            if (renewed === undefined) throw error
            return await postToken(renewed, request, context)
          }
        } catch (thrown) {
          await retries.waitAfter(thrown)
        }
      }
    },

    async openCredential(secret, user, context) {
      const reader = credentialReaderOf(secret, user)
      context.stage = 'secret'
      return credentialOf(reader, await reader.read(context.signal))
    },

    tryHandshake(product, sessionKey, context) {
      const url = new URL(streamUrls[product])
      const authorization = `api-key ${sessionKey}`
      const request = { origin: originOf(url), path: url.pathname, authorization }
      return reportCall(
        'handshake',
        context,
        () => tryHandshake(transport, request, context.signal, clock),
        (verdict) => (verdict.ok ? {} : { errorCode: verdict.error_code, status: verdict.status }),
      )
    },

    addressOf(operation) {
      if (operation === 'session-token') return settings.baseUrl
      return operation === 'handshake' ? new URL(streamUrls.stt) : settings.meetings.baseUrl
    },

    close: () => transport.close(),
  }
}

const LIST_REMEDY =
  'Set "meetings.baseUrl" to the base of its meetings interface, and "meetings.wire" if the paths have other names'

/** A path that every voice service has is not there. The query is left out: it is a user's. */
function nothingAt(path: string, remedy: string): string {
  return `The voice service answered 404 for ${path.replace(/\?.*/, '')}: it has nothing at this path. ${remedy}.`
}

function isKeyRefused(error: unknown): error is BffError {
  return (
    error instanceof BffError &&
    (error.code === 'AUTH_API_KEY_INVALID' || error.code === 'AUTH_API_KEY_EXPIRED')
  )
}
