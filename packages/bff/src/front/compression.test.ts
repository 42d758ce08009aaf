import { startStack } from '@stagepass/testing'
import compression from 'compression'
import { expect, it } from 'vitest'
import { rawRequest } from '../rawRequest.test.kit.js'

it.each(['gzip', 'br, gzip', 'deflate'])(
  'compression() does not change a response, although the client accepts %s',
  async (accepted) => {
    await using stack = await startStack({
      app: (app) => {
        app.use(compression({ threshold: 0 }))
        app.get('/other', (_req, res) => void res.json({ text: 'x'.repeat(2_000) }))
      },
    })
    const headers = { 'x-stagepass': '1', 'accept-encoding': accepted }
    const list = await rawRequest(stack.origin, { path: '/api/voice/meetings?limit=50', headers })
    expect(list.status).toBe(200)
    expect(list.headers['content-encoding']).toBeUndefined()
    expect(list.headers['content-length']).toBe(String(Buffer.byteLength(list.text)))
    // It compresses other responses.
    const other = await rawRequest(stack.origin, { path: '/other', headers })
    expect(other.headers['content-encoding']).toBeDefined()
  },
)
