import { request } from 'node:http'
import { hang } from '@stagepass/emulator'
import { startStack } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { ask, envelope, handMade, json, stackOn } from './kit.js'

const token = { json: { usage_type: 'stt' } }

describe('a strange upstream', () => {
  it('deep JSON of the token endpoint is its fault', async () => {
    await using upstream = await handMade(({ res }) =>
      res
        .writeHead(200, { 'content-type': 'application/json' })
        .end(`{"code":0,"data":${'['.repeat(30_000)}${']'.repeat(30_000)}}`),
    )
    await using stack = await stackOn(upstream)
    const reply = await ask(`${stack.url}/session-token`, token)
    expect(reply).toBeProblem({ status: 502, code: 'UPSTREAM_MALFORMED', retryable: false })
  })

  it('early hints before the answer change nothing', async () => {
    await using upstream = await handMade(({ res }) => {
      res.writeEarlyHints({ link: '</x>; rel=preload' })
      res.writeProcessing()
      json(res, 200, envelope('stt'))
    })
    await using stack = await stackOn(upstream)
    expect((await ask(`${stack.url}/session-token`, token)).status).toBe(200)
  })
})

it('100 clients that leave a hung upstream leave nothing behind', async () => {
  await using stack = await startStack()
  stack.upstream.use(hang())
  const clients = Array.from({ length: 100 }, (_, i) => {
    const outgoing = request(`${stack.url}/tags?`, { headers: { 'x-stagepass': '1', 'x-n': String(i) } })
    outgoing.on('error', () => undefined)
    outgoing.end()
    return outgoing
  })
  await expect.poll(() => stack.bff.gauge().inFlight).toBe(100)
  for (const client of clients) client.destroy()
  await expect.poll(() => stack.bff.gauge().inFlight).toBe(0)
})
