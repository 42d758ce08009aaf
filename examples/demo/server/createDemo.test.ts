import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, vi } from 'vitest'
import { USER_IDS } from '../src/users.js'
import { createDemo } from './createDemo.js'

async function setup() {
  const server = createServer().listen(0, 'localhost')
  await new Promise((resolve) => server.once('listening', resolve))
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  vi.stubEnv('PUBLIC_ORIGIN', origin)
  const demo = await createDemo({})
  server.on('request', demo.handle)
  const send = (path: string, cookie = '', init: RequestInit = {}) => {
    const headers = { origin, cookie, 'x-stagepass': '1', ...(init.headers as Record<string, string>) }
    return fetch(`${origin}/api${path}`, { redirect: 'manual', ...init, headers })
  }
  return {
    send,
    emulator: demo.emulator!,
    async signIn(user: string, headers: Record<string, string> = {}): Promise<string> {
      const body = new URLSearchParams({ user })
      const response = await send('/login', '', { method: 'POST', body, headers })
      return response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    },
    inject: (cookie: string, fault: object) =>
      send('/demo/faults', cookie, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(fault),
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await demo.close()
      vi.unstubAllEnvs()
    },
  }
}

it('gives the BFF the user of the login, and none after a sign-out', async () => {
  await using demo = await setup()
  const cookie = await demo.signIn('ben')
  expect(await (await demo.send('/me', cookie)).json()).toEqual({ user: 'ben' })
  const list = (await (await demo.send('/voice/meetings?limit=1', cookie)).json()) as { meetings: object[] }
  expect(list.meetings.map((meeting) => Object.keys(meeting).toSorted())).toEqual([
    ['duration', 'id', 'started_at', 'title'],
  ])
  await demo.send('/logout', cookie, { method: 'POST' })
  expect(await (await demo.send('/me', cookie)).json()).toEqual({ user: null })
  expect((await demo.send('/voice/meetings', cookie)).status).toBe(401)
})

it('takes what the page measures', async () => {
  await using demo = await setup()
  const cookie = await demo.signIn('ada')
  const { status } = await demo.send('/voice/vitals', cookie, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ engine: 'blink', network: '4g', products: { stt: { open: [20] } } }),
  })
  expect(status).toBe(204)
})

it('shows the service the key of Tidewater for its user Ben, and the common key for all others', async () => {
  await using demo = await setup()
  const { emulator } = demo
  const [tidewater] = emulator.apiKeys.all().filter(({ account }) => account === 'Tidewater')
  expect(tidewater?.key).not.toBe(emulator.apiKey)
  const seen: Record<string, unknown> = {}
  for (const user of USER_IDS) {
    const cookie = await demo.signIn(user)
    const before = emulator.requests.length
    const { status } = await demo.send('/voice/session-token', cookie, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ usage_type: 'stt' }),
    })
    expect(status).toBe(200)
    // Meetings are those of one credential.
    await demo.send('/voice/meetings?limit=1', cookie)
    seen[user] = emulator.requests.slice(before).map(({ headers }) => headers.authorization)
  }
  const list = `Bearer ${emulator.meetingsCredential}`
  expect(seen).toEqual({
    ada: [`api-key ${emulator.apiKey}`, list],
    ben: [`api-key ${tidewater?.key}`, list],
  })
})

it('takes no sign-in of another site', async () => {
  await using demo = await setup()
  expect(await demo.signIn('ada', { origin: 'https://evil.example' })).toBe('')
})

it('shows what happens behind the page to users alone', async () => {
  await using demo = await setup()
  expect((await demo.send('/demo/events')).status).toBe(401)
  expect((await demo.inject('', { type: 'reset' })).status).toBe(401)
})

it('says what a fault did at once, and refuses what is none', async () => {
  await using demo = await setup()
  const cookie = await demo.signIn('ada')
  const body = JSON.stringify({ usage_type: 'stt' })
  const headers = { 'content-type': 'application/json' }
  await demo.send('/voice/session-token', cookie, { method: 'POST', headers, body })
  const results: unknown[] = []
  for (const type of ['expire', 'expire', 'reset'])
    results.push(await (await demo.inject(cookie, { type })).json())
  expect(results).toEqual([
    { tokens: 1, sockets: 0 },
    { tokens: 0, sockets: 0 },
    { tokens: 0, sockets: 0 },
  ])
  for (const name of ['cut', 'close', 'freeze'])
    expect(await (await demo.inject(cookie, { type: 'now', name })).json()).toEqual({ tokens: 0, sockets: 0 })
  for (const name of ['hang', 'refuse 402', 'accept, then close', 'expired cursor', 'odd fields'])
    expect((await demo.inject(cookie, { type: 'fail', name, times: 1 })).status).toBe(200)
  for (const fault of [
    {},
    { type: 'now', name: 'toString' },
    { type: 'fail', name: 'no such code' },
    { type: 'fail', name: 'toString' },
  ])
    expect((await demo.inject(cookie, fault)).status).toBe(400)
})
