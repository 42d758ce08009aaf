import { createEmulator } from '@stagepass/emulator'
import { Agent } from 'undici'
import { expect, it } from 'vitest'
import { ACCOUNTS, askOfAccounts, PAGES, startCountingService } from '../meetings/accounts.test.kit.js'
import { bundleInstance, startInstances } from './startFleet.test.kit.js'

it('by account: 500 accounts at once over four instances, each with its own limit, none refused', async () => {
  const program = await bundleInstance()
  await using upstream = await createEmulator()
  const service = await startCountingService()
  await using fleet = await startInstances({ ...upstream, meetingsUrl: service.url }, program, 3_000)
  const dispatcher = new Agent({ connections: 64 })
  const statuses = await askOfAccounts(
    fleet.ports.map((port) => `http://127.0.0.1:${port}`),
    dispatcher,
  )
  expect(statuses.filter((status) => status !== 200)).toEqual([])
  expect(service.counts).toEqual({ served: ACCOUNTS * PAGES, refused: 0 })
  await dispatcher.close()
  service.close()
})
