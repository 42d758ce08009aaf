import { resolve } from 'node:path'
import { fromUrl, GRANT_SCHEMA } from '@stagepass/bff/authorize'
import { expect, it, vi } from 'vitest'
import { freePorts } from '../../packages/testing/src/stack/freePorts.js'
import { startIn } from '../../packages/testing/src/stack/runIn.js'

const FOLDER = resolve(import.meta.dirname, '../../examples/any-backend/grant')

it.each([
  ['Ruby', 'ruby', 'grant.rb'],
  ['Java', 'java', 'Grant.java'],
])('the route in %s answers a grant for the session alone', async (_, command, file) => {
  const [port = 0] = await freePorts(1)
  const server = startIn(FOLDER, command, [file], {
    env: { PORT: String(port), CLASSPATH: '/usr/share/java/gson.jar' },
  })
  try {
    const url = `http://127.0.0.1:${port}/internal/voice-grant`
    const authorize = fromUrl({ url, grantCacheSeconds: 0 })
    await vi.waitFor(() => authorize({ headers: {} }), { timeout: 30_000, interval: 100 })
    const grant = await authorize({ headers: { cookie: 'theme=dark; session=one' } })
    expect(grant).toEqual({
      user: 'ada',
      products: ['stt'],
      usage: { minutesPerDay: 60 },
      meetings: { ownership: 'mine' },
    })
    expect(Object.keys(GRANT_SCHEMA.properties ?? {})).toEqual(
      expect.arrayContaining(Object.keys({ ...grant })),
    )
    expect(await authorize({ headers: { cookie: 'session=two' } })).toMatchObject({ user: 'EXAMPLE\\grace' })
    for (const headers of [
      {},
      { cookie: 'session=three' },
      { cookie: 'session=' },
      { authorization: 'Bearer one' },
    ])
      expect(await authorize({ headers })).toBeNull()
  } catch (cause) {
    throw new Error(`The server printed:\n${server.output()}`, { cause })
  } finally {
    await server.stop()
  }
})
