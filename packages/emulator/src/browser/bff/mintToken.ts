import { PRODUCTS, type SessionTokenAnswer } from '@stagepass/contract'
import { SessionTokenRequest, UpstreamSessionToken, UpstreamTokenEnvelope } from '@stagepass/contract/schemas'
import { askService, reqIdOf, type Service } from './askService.js'
import { Problem } from './Problem.js'
import { parseWith, readJson } from './readPageRequest.js'
import type { PageRequest } from '../wire/PageRequest.js'

const Envelope = UpstreamTokenEnvelope.pick({ code: true }).extend({ data: UpstreamSessionToken })

/** `POST /session-token`. */
export async function mintToken(service: Service, request: PageRequest): Promise<SessionTokenAnswer> {
  const { usage_type, expiration_ttl, session_id } = parseWith(SessionTokenRequest, readJson(request), 'body')
  const { body, nowMs } = await askService(service, {
    surface: 'token',
    url: `${service.baseUrl}/v2/sdk/tokens/session`,
    authorization: `api-key ${service.apiKey}`,
    json: { usage_type, expiration_ttl, metadata: session_id === undefined ? undefined : { session_id } },
    field: expiration_ttl === undefined ? 'usage_type' : 'expiration_ttl',
    signal: request.signal,
  })
  const envelope = Envelope.safeParse(body)
  if (!envelope.success || envelope.data.data.usage_type !== usage_type)
    throw new Problem('UPSTREAM_MALFORMED', { reqId: reqIdOf(body) })
  const { session_key, type, status, expires_at } = envelope.data.data
  const lifeMs = 60_000 * (expiration_ttl ?? PRODUCTS[usage_type].ttlMinutes.default)
  const leftMs = Math.floor(Date.parse(expires_at) - nowMs)
  return {
    session_key,
    usage_type,
    type,
    status,
    expires_at,
    expires_in_ms: Math.max(0, Math.min(leftMs, lifeMs)),
    stream_url: service.streamingUrl + PRODUCTS[usage_type].path,
  }
}
