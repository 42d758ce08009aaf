import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Emulator } from '@stagepass/emulator'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import { createLine, type Line } from './createLine.js'

export interface Relay {
  readonly line: Line
  readonly port: number
  /** The service. Set before the first connection. */
  service?: Emulator
}

const dataOf = (data: RawData, isBinary: boolean): Uint8Array | string =>
  isBinary ? new Uint8Array(data as Buffer) : (data as Buffer).toString()

/** A relay of WebSockets to a port of this machine, on a line with faults. */
export async function startRelay(delayMs: number | undefined): Promise<Relay> {
  const line = createLine({ now: () => Date.now(), after: (ms, task) => void setTimeout(task, ms), delayMs })
  const sockets = new WebSocketServer({ noServer: true })
  const server = createServer()
  server.on('upgrade', (request, socket, head) => {
    // It is read, so that its end is noticed.
    socket.on('error', () => {}).on('end', () => socket.destroy())
    socket.resume()
    void line.ready().then(() => {
      // The page has given up. Without a network the service would never have heard of it.
      if (socket.destroyed) return
      const service = new WebSocket((relay.service?.streamingUrl ?? '') + (request.url ?? ''))
      service.on('error', () => socket.destroy())
      service.on('unexpected-response', (_, { statusCode = 500 }) => {
        socket.end(`HTTP/1.1 ${statusCode} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
        service.terminate()
      })
      service.once('open', () =>
        sockets.handleUpgrade(request, socket, head, (page) => {
          const passing = line.open(relay.service?.sockets.at(-1)?.id ?? '', {
            toService: (data) => service.send(data),
            toPage: (data) => page.send(data),
            end(code, reason) {
              if (code === undefined) page.terminate()
              else page.close(code, reason)
              service.terminate()
            },
          })
          page.on('message', (data, isBinary) => passing.fromPage(dataOf(data, isBinary)))
          service.on('message', (data, isBinary) => passing.fromService(dataOf(data, isBinary)))
          const close = (): void => {
            passing.closed()
            page.close()
            service.close()
          }
          page.on('error', () => {}).on('close', close)
          service.on('close', close)
        }),
      )
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const relay: Relay = {
    line,
    port: (server.address() as AddressInfo).port,
  }
  return relay
}
