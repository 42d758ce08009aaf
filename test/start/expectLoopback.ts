import { outerAddress } from '@stagepass/testing/outerAddress'
import { expect } from 'vitest'

/** Headers by which a client can say that it is on this machine. */
const CLAIMS = {
  'x-forwarded-for': '127.0.0.1',
  'x-real-ip': '127.0.0.1',
  'cf-connecting-ip': '127.0.0.1',
  forwarded: 'for=127.0.0.1',
}

const signIn = (host: string, port: number): Promise<Response> =>
  fetch(`http://${host}:${port}/login`, {
    method: 'POST',
    headers: { ...CLAIMS, origin: `http://localhost:${port}` },
    body: new URLSearchParams({ user: 'ada' }),
    redirect: 'manual',
  })

/** The page has both names of this machine. To the network the port is closed. */
export async function expectThisMachineAlone(port: number): Promise<void> {
  for (const host of ['localhost', '127.0.0.1']) {
    expect((await fetch(`http://${host}:${port}`)).status).toBe(200)
    expect((await signIn(host, port)).status).toBe(303)
  }
  await expect(signIn(outerAddress(), port)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
}

/** The page is open to the network. Its login is not, whatever a request says. */
export async function expectLoginRefused(port: number): Promise<void> {
  expect((await fetch(`http://${outerAddress()}:${port}`)).status).toBe(200)
  // After one of this machine.
  await signIn('127.0.0.1', port)
  const response = await signIn(outerAddress(), port)
  expect(response.status).toBe(403)
  expect(response.headers.getSetCookie()).toEqual([])
  expect(await response.text()).toContain('so it answers only the machine of the server')
}
