import { once } from 'node:events'
import { createConnection, createServer, type Socket } from 'node:net'

/** A TCP proxy in front of a unix socket or a port of loopback. A test can delay or cut its connections. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number
  /** Delay of each direction. */
  delayMs: number
  /** Holds what the target sends, until the returned function is called. */
  hold(): () => void
  /**
   * Ends all connections. Until `mend`, new connections are refused (`refuse`), accepted and closed at once
   * like by a load balancer without a server (`close`), or accepted (`take`).
   */
  cut(then: 'take' | 'refuse' | 'close'): void
  mend(): void
}

export async function startTcpProxy(target: string | number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let released = Promise.resolve()
  const pass = (from: Socket, to: Socket, isReply: boolean): void => {
    sockets.add(from)
    // No additional delay by TCP.
    from.setNoDelay()
    // Keeps the order, even if the delay changes.
    let passed = Promise.resolve()
    from.on('data', (chunk) => {
      const due = new Promise((resolve) => setTimeout(resolve, proxy.delayMs))
      const free = isReply ? released : undefined
      passed = passed
        .then(() => due)
        .then(() => free)
        .then(() => void (to.writable && to.write(chunk)))
    })
    from.on('error', () => {})
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
  }
  let closing = false
  const server = createServer((near) => {
    if (closing) {
      near.destroy()
      return
    }
    const far = createConnection(
      typeof target === 'string' ? { path: target } : { port: target, host: '127.0.0.1' },
    )
    pass(near, far, false)
    pass(far, near, true)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const proxy: TcpProxy = {
    port: typeof address === 'object' && address ? address.port : 0,
    delayMs: 0,
    hold() {
      let release = (): void => {}
      released = new Promise((resolve) => (release = resolve))
      return release
    },
    cut(then) {
      if (then === 'refuse') server.close()
      closing = then === 'close'
      for (const socket of sockets) socket.destroy()
    },
    mend() {
      closing = false
      if (!server.listening) server.listen(proxy.port, '127.0.0.1')
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}
