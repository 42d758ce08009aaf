import { createHmac, randomBytes } from 'node:crypto'
import { type Budget, BudgetRefusal } from '../budget/Budget.js'
import { BffError } from '../context/BffError.js'
import type { EmitEvent } from '../context/events.js'
import type { RequestContext } from '../context/RequestContext.js'
import type { Settings } from '../settings/readOptions.js'
import type { Secret } from '../settings/Secret.js'
import { createCredentialReaders } from './createCredentialReaders.js'
import { createSecretReader, type SecretReader } from './createSecretReader.js'
import { createHttpClient } from './httpClient.js'
import { readMintedToken, readResponse, requestedWaitMs } from './readResponse.js'
import { withRetries } from './retry.js'
import { failureName, sendRequest } from './sendRequest.js'
import { tryHandshake } from './tryHandshake.js'
import type { Credential, MintedToken, MintRequest, Upstream, UpstreamMeetingsRequest } from './Upstream.js'

/** A token response has a few hundred bytes; a page of 100 meetings with transcripts has many more. */
const MAX_TOKEN_BYTES = 65_536
const MAX_MEETINGS_BYTES = 16_777_216

const CONNECT_TIMEOUT_MS = 10_000

const USER_AGENT = 'stagepass-bff'

/** The path of a base without its last slash, so that another path can follow. */
const pathOf = (base: URL): string => base.pathname.replace(/\/+$/, '')

export function createUpstream(settings: Settings, budget: Budget, emit: EmitEvent): Upstream {
  const { deadlineMs, platform } = settings
  const { clock, wallNow } = platform
  const connectTimeoutMs = Math.min(deadlineMs, CONNECT_TIMEOUT_MS)

  const tokens = createHttpClient(settings.baseUrl.origin, connectTimeoutMs)
  const meetings = createHttpClient(settings.meetings.baseUrl.origin, connectTimeoutMs)
  const tokenPath = `${pathOf(settings.baseUrl)}/v2/sdk/tokens/session`
  const meetingsBase = pathOf(settings.meetings.baseUrl)

  const readerOf = (name: string, secret: Secret): SecretReader =>
    createSecretReader({ name, secret, timeoutMs: deadlineMs, clock, emit })
  const apiKey = readerOf('apiKey', settings.apiKey)
  const credentialReaderOf = createCredentialReaders((secret) => readerOf('meetings.credential', secret))
  const identityKey = randomBytes(32)

  async function postToken(key: string, request: MintRequest, context: RequestContext): Promise<MintedToken> {
    // Written out, not spread: an object of one shape for every request is cheaper.
    const headers = {
      accept: 'application/json',
      'user-agent': USER_AGENT,
      authorization: `api-key ${key}`,
      'content-type': 'application/json',
    }
    const response = await sendRequest({
      client: tokens,
      request: {
        method: 'POST',
        path: tokenPath,
        headers,
        body: JSON.stringify(request),
        maxBytes: MAX_TOKEN_BYTES,
      },
      operation: 'session-token',
      context,
    })
    return readMintedToken(response, request, wallNow)
  }

  async function getInBudget(value: string, request: UpstreamMeetingsRequest): Promise<unknown> {
    const { path, operation, user, weight, priority, context } = request
    const headers = {
      accept: 'application/json',
      'user-agent': USER_AGENT,
      authorization: `Bearer ${value}`,
    }
    for (let frozenMs: number | undefined; ;) {
      context.stage = 'queue'
      const slot = await budget
        .acquire({ user, weight, priority, deadlineMs: () => context.remainingMs(), signal: context.signal })
        .catch((refusal: unknown) => refuseSlot(refusal, frozenMs))
      const response = await sendRequest({
        client: meetings,
        request: { method: 'GET', path: meetingsBase + path, headers, maxBytes: MAX_MEETINGS_BYTES },
        operation,
        context,
        slot,
      })
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
      return readResponse({ surface: 'meetings', field: 'fields' }, response, wallNow)
    }
  }

  function credentialOf(reader: SecretReader, value: string): Credential {
    return {
      identity: createHmac('sha256', identityKey).update(value).digest('base64url'),
      get: (request) => withRetries(() => getInBudget(value, request), request.context, request.operation),
      async renew(context) {
        emit?.({
          type: 'secret.rejected',
          secret: 'meetings.credential',
          errorCode: 'MEETINGS_CREDENTIAL_REJECTED',
        })
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

    async tryHandshake(product, sessionKey, context) {
      const startedAt = clock.now()
      const event = { type: 'upstream.called', requestId: context.id, operation: 'handshake' } as const
      context.stage = 'upstream'
      try {
        const verdict = await tryHandshake({
          url: settings.streamUrls[product],
          authorization: `api-key ${sessionKey}`,
          signal: context.signal,
          clock,
        })
        const refused = verdict.ok ? {} : { errorCode: verdict.error_code, status: verdict.status }
        emit?.({ ...event, durationMs: clock.now() - startedAt, ...refused })
        return verdict
      } catch (error) {
        emit?.({ ...event, durationMs: clock.now() - startedAt, failure: failureName(error) })
        throw error
      }
    },

    async close() {
      await Promise.all([tokens.close(), meetings.close()])
    },
  }
}

function isKeyRefused(error: unknown): error is BffError {
  return (
    error instanceof BffError &&
    (error.code === 'AUTH_API_KEY_INVALID' || error.code === 'AUTH_API_KEY_EXPIRED')
  )
}

/** No slot came after a 429: the upstream's limit is the cause, not our queue. */
function refuseSlot(refusal: unknown, frozenMs: number | undefined): never {
  if (frozenMs !== undefined && refusal instanceof BudgetRefusal && refusal.reason !== 'closing')
    throw new BffError('UPSTREAM_RATE_LIMITED', { retryAfterMs: Math.max(frozenMs, refusal.retryAfterMs) })
  throw refusal
}
