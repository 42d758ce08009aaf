import { createHmac, randomBytes } from 'node:crypto'
import { type Budget, BudgetRefusal } from '../budget/Budget.js'
import { BffError } from '../context/BffError.js'
import type { EmitEvent } from '../context/events.js'
import type { Call } from '../context/RequestContext.js'
import type { Settings } from '../settings/BffOptions.js'
import type { Secret } from '../settings/Secret.js'
import { createCredentialReaders } from './createCredentialReaders.js'
import { createSecretReader, type SecretReader } from './createSecretReader.js'
import { createHttpClient } from './httpClient.js'
import { askedPauseMs, readAnswer, readMintedToken } from './readResponse.js'
import { withRepeats } from './retry.js'
import { createUpstreamCall, failureName } from './sendRequest.js'
import { tryHandshake } from './tryHandshake.js'
import type { MeetingsRequest, MintedToken, MintRequest, Upstream, Credential } from './Upstream.js'

/** A token answer is a few hundred bytes; a page of 100 meetings with transcripts is not. */
const MAX_TOKEN_BYTES = 65_536
const MAX_MEETINGS_BYTES = 16_777_216

const CONNECT_TIMEOUT_MS = 10_000

const USER_AGENT = 'stagepass-bff'

/** A base without its last slash, so that a path can follow. */
const pathOf = (base: URL): string => base.pathname.replace(/\/+$/, '')

export function createUpstream(settings: Settings, budget: Budget, emit: EmitEvent): Upstream {
  const { deadlineMs, platform } = settings
  const { clock, random, wallNow } = platform
  const connectTimeoutMs = Math.min(deadlineMs, CONNECT_TIMEOUT_MS)

  const tokens = createHttpClient(settings.baseUrl.origin, connectTimeoutMs)
  const meetings = createHttpClient(settings.meetings.baseUrl.origin, connectTimeoutMs)
  const tokenPath = `${pathOf(settings.baseUrl)}/v2/sdk/tokens/session`
  const meetingsBase = pathOf(settings.meetings.baseUrl)

  const callUpstream = createUpstreamCall(clock, emit)

  const readerOf = (name: string, secret: Secret): SecretReader =>
    createSecretReader({ name, secret, timeoutMs: deadlineMs, clock, emit })
  const apiKey = readerOf('apiKey', settings.apiKey)
  const credentialReaderOf = createCredentialReaders((secret) => readerOf('meetings.credential', secret))
  const identityKey = randomBytes(32)

  async function postToken(key: string, request: MintRequest, call: Call): Promise<MintedToken> {
    // Written out: an object of one shape, made for each request, is cheaper than one put together.
    const headers = {
      accept: 'application/json',
      'user-agent': USER_AGENT,
      authorization: `api-key ${key}`,
      'content-type': 'application/json',
    }
    const answer = await callUpstream({
      client: tokens,
      request: {
        method: 'POST',
        path: tokenPath,
        headers,
        body: JSON.stringify(request),
        maxBytes: MAX_TOKEN_BYTES,
      },
      operation: 'session-token',
      call,
    })
    return readMintedToken(answer, request, wallNow)
  }

  async function getInBudget(value: string, request: MeetingsRequest): Promise<unknown> {
    const { path, operation, user, weight, priority, call } = request
    const headers = {
      accept: 'application/json',
      'user-agent': USER_AGENT,
      authorization: `Bearer ${value}`,
    }
    for (let pausedMs: number | undefined; ;) {
      call.stage = 'queue'
      const slot = await budget
        .acquire({ user, weight, priority, deadlineMs: call.remainingMs, signal: call.signal })
        .catch((refusal: unknown) => refuseSlot(refusal, pausedMs))
      const answer = await callUpstream({
        client: meetings,
        request: { method: 'GET', path: meetingsBase + path, headers, maxBytes: MAX_MEETINGS_BYTES },
        operation,
        call,
        slot,
      })
      if (answer.status === 429) {
        const retryAfterMs = askedPauseMs(answer, wallNow)
        budget.rateLimited(retryAfterMs, slot)
        emit?.({ type: 'upstream.rate-limited', requestId: call.id, operation, retryAfterMs })
        if (pausedMs === undefined) {
          // The budget is frozen now: the next slot is the end of the pause.
          pausedMs = retryAfterMs ?? budget.gauge().frozenMs
          continue
        }
      }
      return readAnswer({ surface: 'meetings', blamed: 'fields' }, answer, wallNow)
    }
  }

  function credentialOf(reader: SecretReader, value: string): Credential {
    return {
      identity: createHmac('sha256', identityKey).update(value).digest('base64url'),
      get: (request) =>
        withRepeats(() => getInBudget(value, request), request.call, {
          operation: request.operation,
          clock,
          random,
          emit,
        }),
      async renew(call) {
        emit?.({
          type: 'secret.rejected',
          secret: 'meetings.credential',
          errorCode: 'MEETINGS_CREDENTIAL_REJECTED',
        })
        call.stage = 'secret'
        const renewed = await reader.renew(value, call)
        return renewed === undefined ? undefined : credentialOf(reader, renewed)
      },
    }
  }

  return {
    mintToken(request, call) {
      let mayRenew = true
      const attempt = async (): Promise<MintedToken> => {
        call.stage = 'secret'
        const key = await apiKey.read(call)
        try {
          return await postToken(key, request, call)
        } catch (error) {
          if (!mayRenew || !isKeyRefused(error)) throw error
          mayRenew = false
          emit?.({ type: 'secret.rejected', secret: 'apiKey', errorCode: error.code })
          call.stage = 'secret'
          const renewed = await apiKey.renew(key, call)
          if (renewed === undefined) throw error
          return await postToken(renewed, request, call)
        }
      }
      return withRepeats(attempt, call, { operation: 'session-token', clock, random, emit })
    },

    async openCredential(secret, user, call) {
      const reader = credentialReaderOf(secret, user)
      call.stage = 'secret'
      return credentialOf(reader, await reader.read(call))
    },

    async tryHandshake(product, sessionKey, call) {
      const startedAt = clock.now()
      const told = { type: 'upstream.called', requestId: call.id, operation: 'handshake' } as const
      call.stage = 'upstream'
      try {
        const verdict = await tryHandshake({
          url: settings.streamUrls[product],
          authorization: `api-key ${sessionKey}`,
          signal: call.signal,
          clock,
        })
        const refused = verdict.ok ? {} : { errorCode: verdict.error_code, status: verdict.status }
        emit?.({ ...told, durationMs: clock.now() - startedAt, ...refused })
        return verdict
      } catch (error) {
        emit?.({ ...told, durationMs: clock.now() - startedAt, failure: failureName(error) })
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

/** Without a slot after our own pause, it is the upstream's limit that was met, not our queue's. */
function refuseSlot(refusal: unknown, pausedMs: number | undefined): never {
  if (pausedMs !== undefined && refusal instanceof BudgetRefusal && refusal.reason !== 'closing')
    throw new BffError('UPSTREAM_RATE_LIMITED', { retryAfterMs: Math.max(pausedMs, refusal.retryAfterMs) })
  throw refusal
}
