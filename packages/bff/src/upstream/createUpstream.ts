import type { Budget } from '@stagepass/budget'
import { TOKEN_PATH, type Transport } from '@stagepass/contract'
import { BffError } from '../context/BffError.js'
import { createHostReport } from '../context/createHostReport.js'
import type { EmitEvent } from '../context/events.js'
import type { RequestContext } from '../context/RequestContext.js'
import type { InFlight } from '../request/createInFlight.js'
import type { Settings } from '../settings/readOptions.js'
import type { Secret } from '../settings/Secret.js'
import { createCredentialReaders } from './createCredentialReaders.js'
import { createSecretReader, type SecretReader } from './createSecretReader.js'
import { createIds } from './createIds.js'
import { readMintedToken, readResponse, requestedWaitMs } from './readResponse.js'
import { withRetries } from './retry.js'
import { reportCall, sendRequest } from './sendRequest.js'
import { tryHandshake } from './tryHandshake.js'
import type { Credential, MintedToken, MintRequest, Upstream, UpstreamMeetingsRequest } from './Upstream.js'

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
  budget: Budget,
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

  async function getInBudget(value: string, request: UpstreamMeetingsRequest): Promise<string> {
    const { path, operation, context, nextTurn, keep } = request
    const headers = {
      accept: 'application/json',
      'user-agent': USER_AGENT,
      authorization: `Bearer ${value}`,
    }
    for (let frozenMs: number | undefined; ;) {
      context.stage = 'queue'
      const wait = context.span?.begin('budget')
      const turn = await nextTurn(frozenMs).finally(() => wait?.end({}))
      if ('json' in turn) return turn.json
      const { slot } = turn
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
      let shared: Promise<void> | undefined
      try {
        // A meeting may not exist; a list always does.
        if (response.status === 404 && operation !== 'meeting')
          reportHost(context, 'meetings.baseUrl', nothingAt(meetingsBase + path, LIST_REMEDY))
        if (response.status === 429) {
          const retryAfterMs = requestedWaitMs(response, wallNow)
          budget.rateLimited(retryAfterMs, slot)
          emit?.({ type: 'upstream.rate-limited', requestId: context.id, operation, retryAfterMs })
          if (frozenMs === undefined) {
            // The budget is frozen now: the next slot comes after that.
            frozenMs = retryAfterMs ?? budget.gauge().frozenMs
            continue
          }
        }
        const kept = keep(readResponse(response, operation, 'fields', [value, lastKey], wallNow))
        shared = kept.shared
        return kept.json
      } finally {
        const release = (): void => slot.release('answered')
        // An instance that asks after the release finds the page.
        if (shared) void shared.then(release)
        else release()
      }
    }
  }

  function credentialOf(reader: SecretReader, value: string): Credential {
    return {
      id: idOf(value),
      sign: (hmac, text) => hmac(JSON.stringify([value, text])),
      get: (request) => withRetries(() => getInBudget(value, request), request.context, request.operation),
      async renew(context) {
        const errorCode = 'MEETINGS_CREDENTIAL_REJECTED'
        emit?.({ type: 'secret.rejected', secret: 'meetings.credential', errorCode })
        context.stage = 'secret'
        const renewed = await reader.renew(value, context)
        return renewed === undefined ? undefined : credentialOf(reader, renewed)
      },
    }
  }

  return {
    mintToken(request, context) {
      let mayRenew = true
      const attempt = async (): Promise<MintedToken> => {
        context.stage = 'secret'
        const key = await apiKey.read(context)
        try {
          return await postToken(key, request, context)
        } catch (error) {
          if (!mayRenew || !isKeyRefused(error)) throw error
          mayRenew = false
          emit?.({ type: 'secret.rejected', secret: 'apiKey', errorCode: error.code })
          context.stage = 'secret'
          const renewed = await apiKey.renew(key, context)
          if (renewed === undefined) throw error
          return await postToken(renewed, request, context)
        }
      }
      return withRetries(attempt, context, 'session-token')
    },

    async openCredential(secret, user, context) {
      const reader = credentialReaderOf(secret, user)
      context.stage = 'secret'
      return credentialOf(reader, await reader.read(context))
    },

    tryHandshake(product, sessionKey, context) {
      const url = new URL(streamUrls[product])
      const authorization = `api-key ${sessionKey}`
      const request = { origin: originOf(url), path: url.pathname, authorization }
      return reportCall(
        'handshake',
        context,
        () => tryHandshake(transport, request, context, clock),
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
