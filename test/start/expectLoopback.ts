import { outerAddress } from '@stagepass/testing/outerAddress'
import { expect } from 'vitest'

/** Headers by which a client can say that it is on this machine. */
const CLAIMS = {
  'x-forwarded-for': '127.0.0.1',
  'x-real-ip': '127.0.0.1',
  'cf-connecting-ip': '127.0.0.1',
  forwarded: 'for=127.0.0.1',
}

const signIn = (host: string, port: number, origin = `http://${host}:${port}`): Promise<Response> =>
  fetch(`http://${host}:${port}/login`, {
    method: 'POST',
    headers: { ...CLAIMS, origin },
    body: new URLSearchParams({ user: 'ada' }),
    redirect: 'manual',
  })

const cookieOf = (response: Response): string => response.headers.getSetCookie()[0]?.split(';')[0] ?? ''

const HERE = ['localhost', '127.0.0.1']

/** The page has both names of this machine. To the network the port is closed. */
export async function expectThisMachineAlone(port: number): Promise<void> {
  for (const host of HERE) expect((await fetch(`http://${host}:${port}`)).status).toBe(200)
  const refused = { cause: { code: 'ECONNREFUSED' } }
  await expect(fetch(`http://${outerAddress()}:${port}`)).rejects.toMatchObject(refused)
}

/** A page of either name signs in, and gets a token. */
export async function expectLogin(port: number): Promise<void> {
  for (const host of HERE) {
    const response = await signIn(host, port)
    expect(response.status).toBe(303)
    const origin = `http://${host}:${port}`
    const headers = { origin, 'content-type': 'application/json', 'x-stagepass': '1' }
    const token = await fetch(`${origin}/api/voice/session-token`, {
      method: 'POST',
      // As browsers send it for both names.
      headers: { ...headers, 'sec-fetch-site': 'same-origin', cookie: cookieOf(response) },
      body: JSON.stringify({ usage_type: 'stt' }),
    })
    expect(token.status).toBe(200)
  }
}

/** The page is open to the network. Its login is not, whatever a request says. */
export async function expectLoginRefused(port: number): Promise<void> {
  expect((await fetch(`http://${outerAddress()}:${port}`)).status).toBe(200)
  // After one of this machine.
  await signIn('127.0.0.1', port)
  const response = await signIn(outerAddress(), port, `http://localhost:${port}`)
  expect(response.status).toBe(403)
  expect(response.headers.getSetCookie()).toEqual([])
  expect(await response.text()).toContain('so it answers only the machine of the server')
}
