import { createBff, isBffError } from '@stagepass/bff/fetch'
import { expect, it, vi } from 'vitest'
import { createBrowserEmulator, fail } from './index.js'

/* The BFF itself in a browser: no part of it needs Node. `sameAsNode.test.ts` has the service's responses. */

function startPage() {
  const emulator = createBrowserEmulator({ meetings: [{ id: 'm1', title: 'Roadmap' }] })
  const meetings = { credential: emulator.meetingsCredential }
  const bff = createBff({ ...emulator.bffOptions, authorize: () => ({ user: 'ada', meetings }) })
  const { fetch, url } = emulator.clientOptions(bff)
  const ask = async (path: string, body?: object): Promise<unknown> => {
    const headers = { 'x-stagepass': '1', 'content-type': 'application/json' }
    const post = body && { method: 'POST', body: JSON.stringify(body) }
    return (await fetch(`${url}${path}`, { ...post, headers })).json()
  }
  return { emulator, bff, ask, user: bff.as({ user: 'ada', meetings }) }
}

it('mints tokens and lists meetings for a page', async () => {
  const { emulator, bff, ask } = startPage()
  expect(await ask('/session-token', { usage_type: 'stt' })).toMatchObject({ usage_type: 'stt' })
  const page = { meetings: [{ id: 'm1', title: 'Roadmap' }], next_cursor: null }
  expect(await ask('/meetings?fields=title')).toMatchObject(page)
  // The second comes from the cache of the BFF.
  expect(await ask('/meetings?fields=title')).toMatchObject(page)
  expect(emulator.counts.list).toBe(1)
  expect(bff.gauge()).toMatchObject({ inFlight: 0, saved: { cached: 1 } })
  await bff.close()
})

it('S59 has the calls of server code, with the pages and the limits of the routes', async () => {
  const { emulator, bff, ask, user } = startPage()
  const page = await user.meetings({ fields: ['title'] })
  expect(page.meetings).toEqual([{ id: 'm1', title: 'Roadmap' }])
  expect(await ask('/meetings?fields=title')).toEqual(page)
  expect(emulator.counts.list).toBe(1)
  expect(await user.meeting('m1', { fields: ['title'] })).toEqual({ id: 'm1', title: 'Roadmap' })
  expect(await (await user.fetch('/meetings?fields=title')).json()).toEqual(page)
  expect(await user.sessionToken('stt', { ttlMinutes: 5 })).toMatchObject({ usage_type: 'stt' })
  expect(await user.usage()).toEqual({ usage: {} })
  const unknown = await user.meeting('m2').catch((error: unknown) => error)
  expect(isBffError(unknown, 'NOT_FOUND')).toBe(true)
  await expect(user.tags({ signal: AbortSignal.abort('left') })).rejects.toBe('left')
  await bff.close()
  await expect(user.tags()).rejects.toMatchObject({ code: 'SHUTTING_DOWN' })
})

it('tells a page why a handshake was refused', async () => {
  const { emulator, ask } = startPage()
  await ask('/session-token', { usage_type: 'stt' })
  const session_key = emulator.tokens.all()[0]?.sessionKey
  const check = () => ask('/handshake-check', { usage_type: 'stt', session_key })
  expect(await check()).toEqual({ ok: true })
  for (const refuseBy of ['status', 'frame', 'close'] as const) {
    const undo = emulator.use(fail('concurrency_limit_exceeded', { refuseBy }))
    expect(await check()).toMatchObject({ ok: false, error_code: 'concurrency_limit_exceeded' })
    undo()
  }
  await vi.waitFor(() => expect(emulator.sockets).toEqual([]))
})
