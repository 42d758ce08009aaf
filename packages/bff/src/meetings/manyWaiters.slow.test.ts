import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createEmulator, respond } from '@stagepass/emulator'
import { expect, it } from 'vitest'
import { createBff } from '../hosts/node/createBff.js'
import { MAX_WAITERS } from './boundWaiters.js'

/** On one connection, without waiting for responses. This is how the most requests arrive at once. */
const OF_A_CONNECTION = 100

/** A BFF in `node:http`. */
async function start() {
  const upstream = await createEmulator()
  const bff = createBff({
    ...upstream.bffOptions,
    authorize: ({ headers }) => ({
      user: String(headers['x-user']),
      meetings: { credential: upstream.meetingsCredential },
    }),
    deadlineMs: 600_000,
    logger: false,
  })
  const server = createServer(bff as unknown as RequestListener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const clients: Socket[] = []
  let users = 0

  /**
   * Requests a path many times, with a different user for each connection. `statuses` grows with each
   * response.
   */
  async function send(path: string, count: number, statuses: string[]) {
    for (let sent = 0; sent < count; sent += OF_A_CONNECTION) {
      const socket = connect(port, '127.0.0.1')
      clients.push(socket)
      await once(socket, 'connect')
      let text = ''
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        const lines = (text + chunk).split('\r\n')
        text = lines.pop() ?? ''
        for (const line of lines) {
          const [, status] = /HTTP\/1\.1 (\d+)/.exec(line) ?? []
          if (status !== undefined) statuses.push(status)
        }
      })
      users += 1
      const head = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nx-stagepass: 1\r\nx-user: user ${users}\r\n\r\n`
      socket.write(head.repeat(Math.min(OF_A_CONNECTION, count - sent)))
    }
  }

  /** A 429 freezes the account. The request that got it waits too. */
  async function freeze(path: string, seconds: number) {
    upstream.use(
      respond({ status: 429, headers: { 'retry-after': String(seconds) } }, { on: 'list', times: 1 }),
    )
    await send(path, 1, [])
    await expect.poll(() => bff.gauge().frozenMs).toBeGreaterThan(0)
  }

  return {
    bff,
    url: `http://127.0.0.1:${port}`,
    send,
    freeze,
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.destroy()
      await bff.close()
      server.close()
      await upstream.close()
    },
  }
}

it('S23 6,000 requests that wait for one page are all answered, and others are served in between', async () => {
  await using stack = await start()
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  let servedBetween = 0
  // More in all than may wait at once: the second crowd finds the room that the first has left.
  for (const [index, path] of ['/meetings?limit=9', '/meetings?limit=8'].entries()) {
    await stack.freeze(`/meetings?limit=${index + 1}`, 6)
    const statuses: string[] = []
    await stack.send(path, 6_000, statuses)
    // Requests of others, one after the other, until the page has come and all have left.
    while (statuses.length < 6_000) {
      await fetch(`${stack.url}/health`)
      const { inFlight } = stack.bff.gauge()
      if (inFlight > 0 && inFlight < 6_000) servedBetween += 1
    }
    expect(new Set(statuses)).toEqual(new Set(['200']))
    await expect.poll(() => stack.bff.gauge()).toMatchObject({ inFlight: 0, waiting: 0 })
  }
  delay.disable()
  process.stdout.write(`6,000 waiters: the loop was blocked for ${Math.round(delay.max / 1e6)} ms at most\n`)
  expect(servedBetween).toBeGreaterThan(9)
})

it('S23 the requests that wait for a page, and for all pages of an account, are bounded; a further one gets a Retry-After', async () => {
  await using stack = await start()
  await stack.freeze('/meetings?limit=1', 600)
  const one = async (path: string) => {
    const response = await fetch(stack.url + path, { headers: { 'x-stagepass': '1', 'x-user': 'ada' } })
    const { error_code } = (await response.json()) as { error_code?: string }
    return [response.status, error_code, response.headers.get('retry-after')]
  }
  const refused = [503, 'BUDGET_EXHAUSTED', '5']
  const statuses: string[] = []
  // One request has waited for another page since the account was frozen.
  await stack.send('/meetings?limit=8', MAX_WAITERS.ofPage, statuses)
  await expect.poll(() => stack.bff.gauge().inFlight).toBe(MAX_WAITERS.ofPage + 1)
  expect(await one('/meetings?limit=8')).toEqual(refused)
  await stack.send('/meetings?limit=9', MAX_WAITERS.ofAccount - MAX_WAITERS.ofPage - 1, statuses)
  await expect.poll(() => stack.bff.gauge().inFlight).toBe(MAX_WAITERS.ofAccount)
  expect(await one('/meetings?limit=7')).toEqual(refused)
  expect(statuses).toEqual([])
  await stack.bff.close()
  expect(stack.bff.gauge()).toMatchObject({ inFlight: 0, waiting: 0 })
})
