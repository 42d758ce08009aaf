import { virtualClock } from '@stagepass/testing/virtualClock'
import { afterEach, expect, it, vi } from 'vitest'
import { createBff } from '../hosts/node/createBff.js'

afterEach(() => vi.unstubAllEnvs())

/** Creates BFFs with one key, which no other test has. */
function start(apiKey: string) {
  const lines: string[] = []
  const clock = virtualClock()
  const create = (key = apiKey) =>
    createBff({
      apiKey: key,
      baseUrl: 'https://a.example',
      streamingUrl: 'wss://a.example',
      authorize: () => null,
      logger: { warn: (line: string) => lines.push(line), error: (line: string) => lines.push(line) },
      platform: { clock },
    })
  return { lines, clock, create }
}

it('a second BFF with the same key within a minute causes one warning, which does not contain the key', () => {
  const { lines, clock, create } = start('key of the warning')
  create()
  expect(lines).toEqual([])
  clock.jump(59_000)
  for (let request = 0; request < 3; request += 1) create()
  expect(lines).toEqual([
    '[stagepass] createBff: A second BFF with the same "apiKey" was created within a minute. Create it once, outside of the request handler: each BFF has its own limits, budget and connections.',
  ])
})

it('a BFF after a minute, after the other was closed, or with another key causes no warning', async () => {
  const { lines, clock, create } = start('key without a warning')
  create()
  clock.jump(60_000)
  const second = create()
  await second.close()
  create()
  create('another key without a warning')
  expect(lines).toEqual([])
})

it('in production there is no warning', () => {
  vi.stubEnv('NODE_ENV', 'production')
  const { lines, create } = start('key in production')
  create()
  create()
  expect(lines).toEqual([])
})
