import { once } from 'node:events'
import { Problem, SessionTokenResponse, UsageResponse } from '@stagepass/contract/schemas'
import { createEmulator } from '@stagepass/emulator'
import { expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { bundleInstance, startInstances } from './startFleet.test.kit.js'

const USERS = 1_000
const AT_ONCE = 100
/** Every tenth page never reports. */
const SILENT_EVERY = 10
const LIFE_MS = 5 * 60_000

it('S45 the minutes of 1,000 users over four instances match the log of the service', async () => {
  const program = await bundleInstance()
  await using upstream = await createEmulator({ recordFrames: 10 * USERS })
  await using fleet = await startInstances(upstream, program)
  const settled: number[] = []
  for (const { stdout } of fleet.instances) {
    let text = ''
    stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('settled ')) settled.push(Number(line.slice(8)))
    })
  }
  const portOf = (turn: number): number => fleet.ports[turn % fleet.ports.length] ?? 0

  /**
   * Sends a request to any instance, as a page does, and waits if the response says so, because Redis is slow
   * on a busy machine.
   */
  async function ask(turn: number, user: number, path: string, json?: object): Promise<unknown> {
    const response = await fetch(`http://127.0.0.1:${portOf(turn)}${path}`, {
      ...(json && { method: 'POST', body: JSON.stringify(json) }),
      headers: {
        'x-stagepass': '1',
        'x-user': `user ${user}`,
        'x-minutes': '20',
        'content-type': 'application/json',
      },
    })
    const answer: unknown = await response.json()
    if (response.status === 200) return answer
    const { retryable, retry_after_ms } = Problem.parse(answer)
    if (!retryable) throw new Error(JSON.stringify(answer))
    await new Promise((resolve) => setTimeout(resolve, retry_after_ms))
    return ask(turn + 1, user, path, json)
  }

  const socketMs = async (user: number): Promise<void> => {
    const token = SessionTokenResponse.parse(
      await ask(user, user, '/session-token', { usage_type: 'stt', expiration_ttl: 5 }),
    )
    const authorization = encodeURIComponent(`api-key ${token.session_key}`)
    const socket = new WebSocket(`${token.stream_url}?authorization=${authorization}`)
    await once(socket, 'open')
    const openedAt = performance.now()
    socket.send(`begin ${user}`)
    // The duration of a call, which is measured.
    await new Promise((resolve) => setTimeout(resolve, 1_500 + (user % 10) * 100))
    socket.send(`end ${user}`)
    const used_ms = Math.ceil(performance.now() - openedAt)
    socket.close()
    await once(socket, 'close')
    if (user % SILENT_EVERY === 0) return
    await ask(user + 1 + (user % 3), user, '/usage', { receipt: token.usage_receipt, used_ms })
  }

  const users = Array.from({ length: USERS }, (_, user) => user)
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let user = users.pop(); user !== undefined; user = users.pop()) await socketMs(user)
    }),
  )

  const times = new Map<string, number>()
  for (const { data, at } of upstream.frames) if (typeof data === 'string') times.set(data, at)
  let loggedMs = 0
  let silentMs = 0
  for (let user = 0; user < USERS; user += 1) {
    const ms = (times.get(`end ${user}`) ?? 0) - (times.get(`begin ${user}`) ?? 0)
    if (user % SILENT_EVERY !== 0) loggedMs += ms
    else {
      const { stt } = UsageResponse.parse(await ask(user, user, '/usage')).usage
      silentMs += (stt?.used_ms ?? 0) + (stt?.reserved_ms ?? 0)
    }
  }
  await expect.poll(() => settled.length).toBe(USERS - USERS / SILENT_EVERY)
  const settledMs = settled.reduce((total, ms) => total + ms, 0)
  process.stdout.write(`${settledMs} ms settled, ${loggedMs} ms in the log of the service\n`)
  expect(Math.abs(settledMs / loggedMs - 1)).toBeLessThan(0.02)
  // Without a report the whole lifetime of the token counts.
  expect(silentMs).toBe((USERS / SILENT_EVERY) * LIFE_MS)
})
