import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { createBff } from '@stagepass/bff'
import { createEmulator, type Emulator } from '@stagepass/emulator'
import express from 'express'
import { bundle } from '../stream/site.js'

/** The page, and a service for each of its sessions. */
export interface Site extends AsyncDisposable {
  readonly url: string
  readonly waits: Emulator
  readonly stays: Emulator
}

export type Cost = ReturnType<typeof costOf>

/** What a service has billed, and got. */
export function costOf(upstream: Emulator) {
  const billed = Object.values(upstream.billedMs())
  let energy = 0
  for (const { data } of upstream.frames) {
    if (typeof data === 'string') continue
    for (const sample of new Int16Array(Uint8Array.from(data).buffer)) energy += sample * sample
  }
  const paidMs = billed.reduce((sum, ms) => sum + ms, 0)
  return { paidMs, connections: billed.length, tokens: upstream.counts.token, energy }
}

/** Builds and serves the page. `recordFrames`: how many frames of each session are kept. */
export async function startSite(recordFrames: number): Promise<Site> {
  const files = await bundle('../silence/page.tsx')
  const app = express()
  const mount = async (path: string) => {
    const upstream = await createEmulator({ recordFrames, recordRequests: false })
    const bff = createBff({ ...upstream.bffOptions, authorize: () => ({ user: 'bench' }), logger: false })
    app.use(path, bff)
    return { upstream, bff }
  }
  const [waits, stays] = [await mount('/waits'), await mount('/stays')]
  for (const [path, text] of files)
    app.get(path, (_, response) => void response.type(extname(path)).send(text))
  app.get(
    '/',
    (_, response) => void response.send('<!doctype html><script type="module" src="/page.js"></script>'),
  )
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    waits: waits.upstream,
    stays: stays.upstream,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      for (const { upstream, bff } of [waits, stays]) {
        await bff.close()
        await upstream.close()
      }
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
