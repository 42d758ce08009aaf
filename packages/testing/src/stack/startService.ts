import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'

export interface Service extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** Options of a BFF that uses this service instead of the emulator. */
  readonly bff: { readonly baseUrl: string; readonly meetings: { readonly baseUrl: string } }
}

/** An upstream with any HTTP response, even one that the emulator never sends. */
export function startService(answer: RequestListener): Promise<Service> {
  return listen(createServer((req, res) => void req.resume().on('end', () => answer(req, res))))
}

/** An upstream that may send something other than HTTP. */
export function startRawService(answer: (socket: Socket) => void): Promise<Service> {
  return listen(
    createTcpServer((socket) => {
      socket.on('error', () => undefined)
      answer(socket)
    }),
  )
}

async function listen(server: Server): Promise<Service> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    bff: { baseUrl: url, meetings: { baseUrl: url } },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
