import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { WITH_LEASE } from '@stagepass/contract'
import { createEmulator } from '@stagepass/emulator'
import { beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { bundleInstance, type Instances, startInstances } from './startFleet.test.kit.js'

/*
 * Four instances in processes of their own, one Redis, and pages that each ask any of them. The service allows
 * as many sockets as the host says, and closes at once: so no handshake may be refused, whatever fails.
 */

const MAX = 6
const PAGES = 18
/** No answer of an instance that was killed or is suspended. */
const LATE_MS = 5_000

let program: string
beforeAll(async () => {
  program = await bundleInstance()
})

interface Answer {
  readonly status: number
  readonly body: {
    readonly session_key?: string
    readonly stream_url?: string
    readonly lease?: string
    readonly ticket?: string
    readonly retry_in_ms?: number
    readonly retry_after_ms?: number
  }
}

/** A page asks any instance, and another one if that does not answer. */
async function send(
  { ports }: Instances,
  user: string,
  path: string,
  init: { readonly json?: object; readonly method?: string; readonly accept?: string },
): Promise<Answer> {
  for (;;) {
    const port = ports[Math.floor(Math.random() * ports.length)]
    try {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: init.method ?? 'POST',
        body: init.json === undefined ? null : JSON.stringify(init.json),
        headers: {
          'x-stagepass': '1',
          'x-user': user,
          'content-type': 'application/json',
          accept: init.accept ?? 'application/json',
        },
        signal: AbortSignal.timeout(LATE_MS),
      })
      const text = await response.text()
      return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Answer['body']) }
    } catch {
      await wait(100)
    }
  }
}

/** Presses once, and holds its session for a moment. Returns the number of refused handshakes. */
async function visit(fleet: Instances, user: string, holdMs: number, isCrash: boolean): Promise<number> {
  const usage_type = 'stt'
  let answer = await send(fleet, user, '/session-token', { json: { usage_type }, accept: WITH_LEASE })
  while (answer.body.lease === undefined) {
    await wait(answer.body.retry_in_ms ?? answer.body.retry_after_ms ?? 500)
    const { ticket } = answer.body
    answer = await send(fleet, user, '/sessions', { json: { usage_type, ticket } })
  }
  const { lease } = answer.body
  while (answer.body.session_key === undefined) {
    answer = await send(fleet, user, '/session-token', { json: { usage_type } })
    if (answer.body.session_key === undefined) await wait(answer.body.retry_after_ms ?? 500)
  }
  const authorization = encodeURIComponent(`api-key ${answer.body.session_key}`)
  const socket = new WebSocket(`${answer.body.stream_url}?authorization=${authorization}`)
  const isOpen = await once(socket, 'open').then(
    () => true,
    () => false,
  )
  if (!isOpen) return 1
  await send(fleet, user, `/sessions/${lease}`, { json: { holds: 'open' } })
  await wait(holdMs)
  socket.close()
  await once(socket, 'close')
  if (!isCrash) await send(fleet, user, `/sessions/${lease}`, { method: 'DELETE' })
  return 0
}

/** All pages press at once, twice. Returns the number of refused handshakes. */
async function refusedBy(
  misfortune: (fleet: Instances) => Promise<void> | void,
  crashEvery = Infinity,
): Promise<number> {
  await using upstream = await createEmulator({ maxSessions: MAX })
  await using fleet = await startInstances(upstream, program, 0, { max: MAX, perUser: 2 })
  const pages = Array.from({ length: PAGES }, async (_, page) => {
    const isCrash = (page + 1) % crashEvery === 0
    const user = `user ${page % 12}`
    return (await visit(fleet, user, 600, isCrash)) + (await visit(fleet, user, 600, false))
  })
  await wait(1_500)
  await misfortune(fleet)
  const refused = await Promise.all(pages)
  return refused.reduce((sum, one) => sum + one, 0)
}

describe('each page gets its session, and no handshake is refused, when', () => {
  it('all works', async () => {
    expect(await refusedBy(() => undefined)).toBe(0)
  })

  it('an instance is killed', async () => {
    expect(await refusedBy((fleet) => void fleet.instances[0]?.kill('SIGKILL'))).toBe(0)
  })

  it('an instance is suspended for some seconds', async () => {
    const misfortune = async (fleet: Instances) => {
      fleet.instances[1]?.kill('SIGSTOP')
      await wait(3_000)
      fleet.instances[1]?.kill('SIGCONT')
    }
    expect(await refusedBy(misfortune)).toBe(0)
  })

  it('Redis is restarted, empty', async () => {
    expect(await refusedBy((fleet) => fleet.redis.restart(500))).toBe(0)
  })

  it('pages crash: their sessions are free after 25 s', async () => {
    expect(await refusedBy(() => undefined, 9)).toBe(0)
  })
})
