import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createEmulator } from '@stagepass/emulator'
import express from 'express'
import { expect, it } from 'vitest'
import { mount } from '../../examples/playground/src/why/byHand/server.js'

/*
 * The page "Why not by hand" runs these routes without Express. They are still valid routes of Express,
 * and work if nothing fails.
 */
it('the routes by hand return tokens and meetings in Express', async () => {
  await using upstream = await createEmulator()
  const { bffOptions, meetingsUrl, meetingsCredential: meetingsKey } = upstream
  const app = express()
  const currentUser = (req: express.Request) => (req.get('cookie') === 'user=ada' ? { meetingsKey } : null)
  mount(app, { ...bffOptions, meetingsUrl, fetch, currentUser })
  const server = app.listen(0, '127.0.0.1')
  try {
    await once(server, 'listening')
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const ask = (path: string, method: string, cookie: string) =>
      fetch(origin + path, { method, headers: { cookie } })

    expect((await ask('/api/token', 'POST', '')).status).toBe(401)
    expect((await ask('/api/meetings', 'GET', '')).status).toBe(401)
    const token: unknown = await (await ask('/api/token', 'POST', 'user=ada')).json()
    expect(token).toMatchObject({
      token: upstream.tokens.all()[0]?.sessionKey,
      url: expect.stringMatching(/\/stt$/),
    })
    const list: unknown = await (await ask('/api/meetings?q=plan', 'GET', 'user=ada')).json()
    expect(list).toMatchObject({ meetings: expect.any(Array) })
    expect(upstream.requests.map(({ status }) => status)).toEqual([200, 200])
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
