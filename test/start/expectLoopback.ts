import { outerAddress } from '@stagepass/testing/outerAddress'
import { expect } from 'vitest'

/** Headers by which a client can say that it is on this machine. A browser sends none. */
const CLAIMS = {
  'x-forwarded-for': '127.0.0.1',
  'x-real-ip': '127.0.0.1',
  'cf-connecting-ip': '127.0.0.1',
  forwarded: 'for=127.0.0.1',
}

const signIn = (
  host: string,
  port: number,
  { origin = `http://${host}:${port}`, path = '/login', claims = {} } = {},
): Promise<Response> =>
  fetch(`http://${host}:${port}${path}`, {
    method: 'POST',
    headers: { ...claims, origin },
    body: new URLSearchParams({ user: 'ada' }),
    redirect: 'manual',
  })

const HERE = ['localhost', '127.0.0.1']

/** The page has both names of this machine. To the network the port is closed. */
export async function expectThisMachineAlone(port: number): Promise<void> {
  for (const host of HERE) expect((await fetch(`http://${host}:${port}`)).status).toBe(200)
  const refused = { cause: { code: 'ECONNREFUSED' } }
  await expect(fetch(`http://${outerAddress()}:${port}`)).rejects.toMatchObject(refused)
}

/** A page of the one name signs in. A page of the other name leads to it. */
export async function expectLogin(port: number): Promise<void> {
  const responses = [await signIn('localhost', port), await signIn('127.0.0.1', port)]
  expect(responses.map(({ status }) => status)).toEqual([303, 303])
  const locations = responses.map(({ headers }) => headers.get('location'))
  expect(locations).toEqual(['/', `http://localhost:${port}`])
  // As a tunnel on this machine passes it on.
  expect((await signIn('localhost', port, { claims: CLAIMS })).status).toBe(403)
}

/** The page is open to the network. Its login is not, whatever a request says. */
export async function expectLoginRefused(port: number, path?: string): Promise<void> {
  expect((await fetch(`http://${outerAddress()}:${port}`)).status).toBe(200)
  // After one of this machine.
  await signIn('127.0.0.1', port, { path })
  const response = await signIn(outerAddress(), port, {
    origin: `http://localhost:${port}`,
    path,
    claims: CLAIMS,
  })
  expect(response.status).toBe(403)
  expect(response.headers.getSetCookie()).toEqual([])
  expect(await response.text()).toContain('so it answers only the machine of the server')
}
