import type { Socket } from 'node:net'
import { startRawService } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { expect, it } from 'vitest'
import { byCookie, startBff, startTeamServer } from './authorize.test.kit.js'
import { fromUrl } from './index.js'

it('S49 answers are bounded: of 12,000 sessions 10,000 are kept', async () => {
  const clock = virtualClock()
  await using team = await startTeamServer(byCookie)
  const authorize = fromUrl({ url: team.url, clock })
  const askAs = async (from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, more) => authorize({ headers: { cookie: `user=u${at + more}` } })),
      )
  }
  await askAs(0, 12_000)
  team.requests.length = 0
  // The last 10,000 are kept, and the first are not.
  await askAs(2_000, 2_050)
  expect(team.requests).toHaveLength(0)
  await askAs(0, 50)
  expect(team.requests).toHaveLength(50)
})

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'

it.concurrent.each([
  ['says nothing', () => undefined],
  ['never ends its headers', (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\nX-')],
  ['never ends its body', (socket: Socket) => void socket.write(`${OK}Content-Length: 40\r\n\r\n{"user`)],
  [
    'sends one byte after another',
    (socket: Socket) => {
      socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n`)
      const timer = setInterval(() => socket.write('1\r\n \r\n'), 20)
      socket.on('close', () => clearInterval(timer))
    },
  ],
])('S48 a server that %s is AUTHORIZE_FAILED at the time limit', async (_, answer) => {
  await using team = await startRawService((socket) => socket.once('data', () => answer(socket)))
  await using bff = await startBff(fromUrl({ url: team.url }))
  expect(await bff.mint()).toMatchObject({ status: 503, code: 'AUTHORIZE_FAILED' })
  expect(bff.problems()).toEqual([expect.stringContaining('took longer than 5000 ms')])
})
