import { describe, expect } from 'vitest'
import { DEFAULT_MINUTES, MIN_MINUTES, PRODUCTS, REFUSALS_OF_A_KEY, type ServiceProduct } from './contract.js'
import { NotProvable, type Prove } from './prove.js'
import type { Service } from './Service.js'

interface TokenReply {
  readonly status: number
  /** The service's time, by its header `Date`. */
  readonly atMs: number
  readonly body: Readonly<Record<string, unknown>>
}

export interface Token {
  readonly session_key: string
  readonly key_id: number
  readonly expires_at: string
  readonly lifeMinutes: number
}

interface TokenRequest {
  readonly body: Readonly<Record<string, unknown>>
  /** Value of the header `Authorization`; `null`: without it. Default: the service's key. */
  readonly authorization?: string | null
}

async function post(service: Service, { body, authorization }: TokenRequest): Promise<TokenReply> {
  const value = authorization === undefined ? `api-key ${service.apiKey}` : authorization
  const response = await service.fetch(`${service.baseUrl}/v2/sdk/tokens/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(value !== null && { authorization: value }) },
    body: JSON.stringify(body),
  })
  const date = response.headers.get('date')
  return {
    status: response.status,
    atMs: date === null ? Date.now() : Date.parse(date),
    body: (await response.json()) as Readonly<Record<string, unknown>>,
  }
}

/** Checks that the response is a refusal with this code. (Contract: "Token error body".) */
function expectRefused({ status, body }: TokenReply, expected: { status: number; error_code: string }): void {
  expect({ status, body }).toEqual({
    status: expected.status,
    body: {
      code: expect.toSatisfy((code) => Number.isInteger(code) && code !== 0, 'an integer that is not 0'),
      error_code: expected.error_code,
      message: expect.stringMatching(/./),
      req_id: expect.stringMatching(/./),
    },
  })
}

/**
 * Mints a token. Throws `NotProvable` if the account of the key does not have the product. (Contract: "Token
 * response".)
 */
export async function mint(
  service: Service,
  body: TokenRequest['body'] & { readonly usage_type: string },
): Promise<Token> {
  const reply = await post(service, { body })
  if (reply.status === 403)
    throw new NotProvable(
      `this key gets no token for ${body.usage_type}: ${String(reply.body['error_code'])}`,
    )
  expect({ status: reply.status, body: reply.body }).toEqual({
    status: 200,
    body: {
      code: 0,
      message: 'Success',
      data: {
        session_key: expect.stringMatching(/^\S+$/),
        expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)$/),
        key_id: expect.toSatisfy(Number.isInteger, 'an integer'),
        // An open set: the contract shows one value.
        status: expect.stringMatching(/./),
        type: 'session',
        usage_type: body.usage_type,
      },
      req_id: expect.stringMatching(/./),
    },
  })
  const token = reply.body['data'] as Omit<Token, 'lifeMinutes'>
  return { ...token, lifeMinutes: (Date.parse(token.expires_at) - reply.atMs) / 60_000 }
}

/** The header `Date` has whole seconds, and is of the response. */
const expectLife = ({ lifeMinutes }: Token, minutes: number): void => {
  expect(lifeMinutes).toBeGreaterThan(minutes - 1)
  expect(lifeMinutes).toBeLessThan(minutes + 1)
}

const lifetimes = ({ maxMinutes }: ServiceProduct): [ttl: number | undefined, minutes: number][] => [
  [undefined, DEFAULT_MINUTES],
  [MIN_MINUTES, MIN_MINUTES],
  [maxMinutes, maxMinutes],
]

const INVALID = { status: 400, error_code: 'VALIDATION_ERROR' }

export function describeTokens(prove: Prove): void {
  for (const product of PRODUCTS) {
    const { usage_type, maxMinutes } = product

    prove(
      `a token for ${usage_type} lives as long as it asks: 180 minutes, or 5 to ${maxMinutes}`,
      async (service) => {
        for (const [expiration_ttl, minutes] of lifetimes(product))
          expectLife(await mint(service, { usage_type, expiration_ttl }), minutes)
      },
    )

    prove(`a token for ${usage_type} of 4 or ${maxMinutes + 1} minutes is refused`, async (service) => {
      await mint(service, { usage_type })
      for (const expiration_ttl of [MIN_MINUTES - 1, maxMinutes + 1])
        expectRefused(await post(service, { body: { usage_type, expiration_ttl } }), INVALID)
    })
  }

  prove('usage_type is required, and one of the four', async (service) => {
    for (const usage_type of [undefined, 'voice-isolation', 'nothing'])
      expectRefused(await post(service, { body: { usage_type } }), INVALID)
  })

  prove('metadata.session_id may have 255 characters', async (service) => {
    await mint(service, { usage_type: 'stt', metadata: { session_id: 's'.repeat(255) } })
  })

  prove('team and user are taken from the key, never from the request', async (service) => {
    const { key_id } = await mint(service, { usage_type: 'stt' })
    const others = { key_id: key_id + 1, team_id: 'other', user_id: 'other', metadata: { user_id: 'other' } }
    expect((await mint(service, { usage_type: 'stt', ...others })).key_id).toBe(key_id)
  })

  prove('without "Authorization: api-key <key>" a request gets AUTH_HEADER_MISSING', async (service) => {
    for (const authorization of [null, `Bearer ${service.apiKey}`]) {
      const reply = await post(service, { body: { usage_type: 'stt' }, authorization })
      expectRefused(reply, { status: 401, error_code: 'AUTH_HEADER_MISSING' })
    }
  })

  prove('an unknown key gets AUTH_API_KEY_INVALID', async (service) => {
    const reply = await post(service, { body: { usage_type: 'stt' }, authorization: 'api-key not-a-key' })
    expectRefused(reply, { status: 401, error_code: 'AUTH_API_KEY_INVALID' })
  })

  describe('a key in another state gets', () => {
    for (const { error_code, status, products } of REFUSALS_OF_A_KEY) {
      prove(`${error_code}, for ${products.join(', ')}`, async (service) => {
        if (!service.inside) throw new NotProvable('it needs a key or an account in that state')
        for (const usage_type of products) {
          const authorization = `api-key ${service.inside.refuseWith(error_code)}`
          expectRefused(await post(service, { body: { usage_type }, authorization }), { status, error_code })
        }
      })
    }
  })
}
