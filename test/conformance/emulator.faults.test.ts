import { createEmulator, malformed } from '@stagepass/emulator'
import { expect, it } from 'vitest'
import { ask } from './kit.js'

it('answers html with the status that was asked for', async () => {
  await using upstream = await createEmulator()
  for (const status of [200, 418, 503]) {
    const undo = upstream.use(malformed('html', { on: 'list', status }))
    const reply = await ask(`${upstream.meetingsUrl}/meetings`)
    expect(reply.status).toBe(status)
    undo()
  }
})
