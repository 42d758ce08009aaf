/// <reference lib="esnext.disposable" preserve="true" />
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createCore } from '../core/createCore.js'
import type { EmulatorHandle } from '../core/EmulatorCore.js'
import { MEETINGS_PREFIX } from '../core/routes/meetings.js'
import { createIdleTimes } from './createIdleTimes.js'
import { serveRequests } from './httpServer.js'
import { type EmulatorOptions, NODE_OPTION_NAMES, resolveNodeOptions } from './options.js'
import { nodePlatform } from './platform.js'
import { serveUpgrades } from './upgradeServer.js'

/** A running emulator of the voice service. */
export interface Emulator extends EmulatorHandle {
  /** Options for `createBff` of `@stagepass/bff`: key and addresses of this emulator. */
  readonly bffOptions: {
    readonly apiKey: string
    readonly baseUrl: string
    readonly streamingUrl: string
    readonly meetings: { readonly baseUrl: string }
  }
  /** `{base_url}` of the token endpoint. */
  readonly baseUrl: string
  /** `{streaming_url}` of the sockets. */
  readonly streamingUrl: string
  /** Base of the meetings interface. */
  readonly meetingsUrl: string

  /** Drops all connections and stops listening. A second call does nothing. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts the emulator. Rejects if an option is wrong, if the port is in use, or with NODE_ENV=production
 * unless both permissions are given (see `allowProduction`).
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const settings = resolveNodeOptions(options)
  const core = createCore(options, nodePlatform, NODE_OPTION_NAMES)
  const idleTimes = createIdleTimes(core.handle.clock)
  const server = createServer({ keepAliveTimeout: 60_000 }, serveRequests(core, idleTimes))
  server.on('upgrade', serveUpgrades(core, idleTimes))
  // Node no longer tracks a connection after its upgrade. Without this set, a client that does not answer a
  // close would keep the server open.
  const connections = new Set<Socket>()
  server.on('connection', (connection: Socket) => {
    connections.add(connection)
    connection.once('close', () => connections.delete(connection))
  })
  await listen(server, settings.port, settings.host)
  const { port } = server.address() as AddressInfo
  const host = `${settings.host.includes(':') ? `[${settings.host}]` : settings.host}:${port}`

  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= new Promise((resolve) => {
      server.close(() => resolve())
      for (const connection of connections) connection.destroy()
    })
    return closing
  }

  const { apiKey } = core.handle
  const [baseUrl, streamingUrl] = [`http://${host}`, `ws://${host}`]
  const meetingsUrl = baseUrl + MEETINGS_PREFIX
  // Not a copy: some properties of the handle are getters.
  return Object.assign(core.handle, {
    bffOptions: { apiKey, baseUrl, streamingUrl, meetings: { baseUrl: meetingsUrl } },
    baseUrl,
    streamingUrl,
    meetingsUrl,
    close,
    [Symbol.asyncDispose]: close,
  })
}

function listen(server: ReturnType<typeof createServer>, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const remedy =
        cause.code === 'EADDRINUSE'
          ? 'Choose another port, or 0 for any free one.'
          : 'Choose another port or host.'
      reject(
        new Error(
          `Failed to start the emulator: it cannot listen on ${host}:${port} (${cause.code}). ${remedy}`,
          { cause },
        ),
      )
    })
    server.listen(port, host, resolve)
  })
}
