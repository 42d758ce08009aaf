import type { Running } from '@stagepass/testing/programs'
import { expect } from 'vitest'

/** Resolves with the port on which the demo says that it listens. */
export async function demoPort(server: Running): Promise<number> {
  await server.printed('BFF       /api/voice')
  const [, port] = /Local: +http:\/\/(?:localhost|127\.0\.0\.1):(\d+)\//.exec(server.output()) ?? []
  return Number(port)
}

/** The demo has a page and a sign-in under both names of this machine: the one leads to the other. */
export async function expectDemo(port: number): Promise<void> {
  const origin = `http://localhost:${port}`
  for (const host of ['localhost', '127.0.0.1']) {
    const page = await fetch(`http://${host}:${port}/?wire`)
    expect([page.status, page.url]).toEqual([200, `${origin}/?wire`])
  }
  const body = new URLSearchParams({ user: 'ada' })
  const init = { method: 'POST', body, headers: { origin }, redirect: 'manual' } as const
  const { status, headers } = await fetch(`${origin}/api/login`, init)
  expect(status).toBe(303)
  const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? ''
  expect(await (await fetch(`${origin}/api/me`, { headers: { cookie } })).json()).toEqual({ user: 'ada' })
}
