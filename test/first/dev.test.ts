import { startIn } from '@stagepass/testing/programs'
import { expect, it } from 'vitest'
import { demoPort, expectDemo } from './expectDemo.js'
import { takePort } from './takePort.js'

// fresh.slow.test.ts has the other options, in a fresh copy of the repository.
it('`npm run dev -- --port` takes the next port if this one is in use, says so, and signs in there', async () => {
  await using taken = await takePort('127.0.0.1')
  const options = ['run', 'dev', '--', '--port', String(taken.port)]
  const server = startIn('.', 'npm', options, { limitSeconds: 120 })
  try {
    const port = await demoPort(server)
    expect(port).toBeGreaterThan(taken.port)
    expect(server.output()).toContain(`Port ${taken.port} is in use`)
    await expectDemo(port)
  } finally {
    await server.stop()
  }
})
