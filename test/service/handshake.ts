import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { HANDSHAKE_STATUS, PRODUCTS } from './contract.js'
import { type Opened, openSocket, type Refused } from './openSocket.js'
import { NotProvable, type Prove } from './prove.js'
import type { Service } from './Service.js'
import { mint } from './tokens.js'

/** A service may check a token after the opening. So the socket must still be open after another request. */
async function expectOpen(opened: Opened, service: Service): Promise<void> {
  await mint(service, { usage_type: 'stt' }).catch((thrown: unknown) => {
    if (!(thrown instanceof NotProvable)) throw thrown
  })
  if (!opened.isOpen()) expect.fail(`The service refused: ${JSON.stringify(await opened.refused)}`)
  opened.close()
}

/** Time for a service to refuse after the opening. Only a service that accepts needs it. */
const REFUSAL_MS = 30_000

/** Waits for the refusal. Fails if the service accepts the handshake. */
async function refusalOf(opened: Opened): Promise<Refused> {
  const late = new AbortController()
  const accepted = pause(REFUSAL_MS, undefined, { signal: late.signal }).then(
    () => expect.fail('The service accepted the handshake.'),
    () => new Promise<never>(() => {}),
  )
  try {
    return await Promise.race([opened.refused, accepted])
  } finally {
    late.abort()
    opened.close()
  }
}

function expectCode({ status, text }: Refused, code: string): void {
  expect(text).toContain(code)
  if (status !== undefined && HANDSHAKE_STATUS[code] !== undefined)
    expect(status).toBe(HANDSHAKE_STATUS[code])
}

async function expectRefused(opening: Promise<Opened>, code: string): Promise<void> {
  expectCode(await refusalOf(await opening), code)
}

export function describeHandshake(prove: Prove): void {
  for (const { usage_type, path } of PRODUCTS) {
    prove(`a token for ${usage_type} opens ${path}, by the header and by the query`, async (service) => {
      const { session_key } = await mint(service, { usage_type })
      const url = service.streamingUrl + path
      await expectOpen(await openSocket(url, `api-key ${session_key}`), service)
      const query = `?authorization=api-key%20${encodeURIComponent(session_key)}`
      await expectOpen(await openSocket(url + query), service)
    })

    prove(`a token for another product does not open ${path}`, async (service) => {
      const other = usage_type === 'stt' ? 'tts' : 'stt'
      const { session_key } = await mint(service, { usage_type: other })
      const opened = await openSocket(service.streamingUrl + path, `api-key ${session_key}`)
      // The contract names no code for it.
      await refusalOf(opened)
    })
  }

  prove('a handshake without a token is refused: missing_authorization_header', async (service) => {
    await expectRefused(openSocket(`${service.streamingUrl}/stt`), 'missing_authorization_header')
  })

  prove('a value without the scheme api-key is refused: invalid_api_key', async (service) => {
    const { session_key } = await mint(service, { usage_type: 'stt' })
    const url = `${service.streamingUrl}/stt`
    await expectRefused(openSocket(url, `Bearer ${session_key}`), 'invalid_api_key')
    const query = `?authorization=${encodeURIComponent(session_key)}`
    await expectRefused(openSocket(url + query), 'invalid_api_key')
  })

  prove('an unknown token is refused: unauthorized', async (service) => {
    await expectRefused(openSocket(`${service.streamingUrl}/stt`, 'api-key not-a-token'), 'unauthorized')
  })

  prove('an expired token is refused: unauthorized', async (service) => {
    if (!service.inside)
      throw new NotProvable('a token lives for at least five minutes, and no test waits for so long')
    const { session_key } = await mint(service, { usage_type: 'stt', expiration_ttl: 5 })
    service.inside.passTime(5 * 60_000)
    await expectRefused(openSocket(`${service.streamingUrl}/stt`, `api-key ${session_key}`), 'unauthorized')
  })

  prove('simultaneous sessions are limited at the opening, and not at the token', async (service) => {
    if (!service.waitForQuiet)
      throw new NotProvable('it uses up the sessions of the account. VOICE_EXCEED_LIMITS=yes permits it')
    const { session_key } = await mint(service, { usage_type: 'stt' })
    const opened: Opened[] = []
    try {
      for (let count = 0; count < 20; count += 1) {
        const one = await openSocket(`${service.streamingUrl}/stt`, `api-key ${session_key}`)
        opened.push(one)
        if (one.isOpen()) continue
        expectCode(await one.refused, 'concurrency_limit_exceeded')
        await mint(service, { usage_type: 'stt' })
        return
      }
    } finally {
      for (const one of opened) one.close()
    }
    throw new NotProvable('20 sessions were open at the same time, and none was refused')
  })
}
