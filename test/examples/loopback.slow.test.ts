import { freePort } from '@stagepass/testing/freePorts'
import { startIn } from '@stagepass/testing/programs'
import { expect, it } from 'vitest'
import { expectThisMachineAlone } from '../start/expectLoopback.js'

// The templates are in test/start, each as a created application.
it.each(['demo', 'playground'])('`npm run dev` of %s listens on this machine alone', async (name) => {
  const port = await freePort()
  const server = startIn(`examples/${name}`, 'npm', ['run', 'dev'], { env: { PORT: String(port) } })
  try {
    await server.printed(new RegExp(`http://.*:${port}`))
    await expectThisMachineAlone(port)
    expect(server.output()).not.toMatch(/in use/i)
  } finally {
    await server.stop()
  }
})
