import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { inject } from 'vitest'
import { createDemo } from '../../../examples/demo/server/createDemo.js'

export interface BuiltDemo extends AsyncDisposable {
  readonly url: string
}

/**
 * The built page and the demo's server, in this process, because `vite preview` costs five seconds of a
 * processor for each file. bundle.test.ts starts one. `env`: all variables of the server.
 */
export async function startBuiltDemo(env: Readonly<Record<string, string>> = {}): Promise<BuiltDemo> {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  // The login, which trusts pages of this origin alone, looks for it there when it is created. Files of tests
  // share this process, so it does not stay.
  process.env.PUBLIC_ORIGIN = `http://localhost:${port}`
  const demo = await createDemo({ ...env }).finally(() => delete process.env.PUBLIC_ORIGIN)
  const app = express()
  app.use((request, response, next) => {
    response.set(demo.pageHeaders)
    if (request.path.startsWith('/api/')) demo.handle(request, response)
    else next()
  })
  app.use(express.static(inject('demo').outDir))
  server.on('request', app)
  return {
    url: `http://localhost:${port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await demo.close()
    },
  }
}
