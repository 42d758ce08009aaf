import { createEmulator } from '@stagepass/emulator'
import { expect, it } from 'vitest'
import { bundleInstance, startInstances } from './startFleet.test.kit.js'

const USERS = 1_000
const PAGES = 20

it('1,000 users who open 20 pages over four instances cost each instance one upstream request a page', async () => {
  const program = await bundleInstance()
  await using upstream = await createEmulator({ limiter: 'sliding', latency: { ms: 60, jitterMs: 20 } })
  // However slow the machine is, no page becomes stale during the requests.
  await using fleet = await startInstances(upstream, program, 60_000)
  const { ports } = fleet

  const statuses = await Promise.all(
    Array.from({ length: USERS }, async (_, user) => {
      // Each page is requested from every instance.
      const path = `/meetings?q=${Math.floor(user / ports.length) % PAGES}`
      const page = `http://127.0.0.1:${ports[user % ports.length]}${path}`
      const response = await fetch(page, { headers: { 'x-stagepass': '1', 'x-user': `user ${user}` } })
      await response.text()
      return response.status
    }),
  )

  const served = statuses.filter((status) => status === 200).length
  const calls = upstream.requests.filter(({ path }) => path.includes('/meetings')).length
  process.stdout.write(`${calls} upstream requests, ${served} of ${USERS} served\n`)
  expect({ served, calls }).toEqual({ served: USERS, calls: PAGES * ports.length })
})
