import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createDemo } from './createDemo.js'

async function setup() {
  const demo = await createDemo({ PORT: '5173' })
  const server = createServer(demo.handle).listen(0)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`
  const send = (method: string, path: string, cookie: string, headers: object = {}, body?: string) =>
    fetch(url + path, {
      method,
      headers: { cookie, 'x-stagepass': '1', ...headers },
      ...(body ? { body } : {}),
    })
  return {
    send,
    get: (path: string, cookie = '') => send('GET', path, cookie),
    async signIn(user: string, before = ''): Promise<string> {
      const headers = { 'content-type': 'application/json' }
      const response = await send('POST', '/demo/session', before, headers, JSON.stringify({ user }))
      return response.headers.getSetCookie()[0] ?? ''
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await demo.close()
    },
  }
}

const pairOf = (cookie: string): string => cookie.split(';')[0] ?? ''

it('keeps who is signed in, under a cookie that no script can read and each sign-in replaces', async () => {
  await using demo = await setup()
  const cookie = await demo.signIn('ada')
  expect(cookie).toMatch(/^stagepass-demo-5173=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/)
  const next = await demo.signIn('ben', pairOf(cookie))
  const who = async (pair: string) => (await demo.get('/demo/session', pair)).json()
  expect([await who(pairOf(cookie)), await who(pairOf(next))]).toEqual([{ user: null }, { user: 'ben' }])
})

it('gives the BFF the user of the session, and none after a sign-out', async () => {
  await using demo = await setup()
  const pair = pairOf(await demo.signIn('ben'))
  const list = (await (await demo.get('/voice/meetings?limit=1', pair)).json()) as { meetings: object[] }
  expect(list.meetings.map((meeting) => Object.keys(meeting).toSorted())).toEqual([
    ['duration', 'id', 'started_at', 'title'],
  ])
  await demo.send('DELETE', '/demo/session', pair)
  expect((await demo.get('/voice/meetings', pair)).status).toBe(401)
})

it('shows what happens behind the page to users alone', async () => {
  await using demo = await setup()
  for (const path of ['/demo/state', '/demo/events']) expect((await demo.get(path)).status).toBe(401)
  expect((await demo.send('POST', '/demo/faults', '')).status).toBe(401)
  expect((await demo.get('/demo/state', pairOf(await demo.signIn('ada')))).status).toBe(200)
})

it('takes no sign-in that another site could send, and no unknown user', async () => {
  await using demo = await setup()
  const text = await demo.send(
    'POST',
    '/demo/session',
    '',
    { 'content-type': 'text/plain' },
    '{"user":"ada"}',
  )
  expect(text.status).toBe(400)
  expect(await demo.signIn('eve')).toBe('')
})
