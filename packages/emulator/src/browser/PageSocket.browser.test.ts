import { describe, expect, it, vi } from 'vitest'
import { acceptThenClose, fail, type Fault, hang } from './index.js'
import { expectSame, native, open, ours, type Side, thrown, watch } from './PageSocket.test.kit.js'

describe("a WebSocket of the emulator in the page, compared with the browser's own", () => {
  it('opens, sends and receives text and bytes, and closes', async () => {
    const seen = await expectSame(async (side) => {
      const { socket, log, until } = await open(side)
      socket.send('text ✓')
      socket.send(Uint8Array.of(9, 1, 2, 3, 9).subarray(1, 4))
      socket.send(Uint8Array.of(4, 5).buffer)
      socket.send(new Blob([Uint8Array.of(6)]))
      socket.send('last')
      await vi.waitFor(() => expect(log).toHaveLength(7))
      const received = await side.received()
      socket.close(3_001, 'bye')
      const closing = socket.readyState
      await until('close')
      return { log, received, closing, state: socket.readyState }
    })
    expect(seen).toMatchObject({
      received: ['text ✓', [1, 2, 3], [4, 5], [6], 'last'],
      closing: 2,
    })
  })

  it('passes bytes in the form that binaryType has at their arrival', async () => {
    const seen = await expectSame(async (side) => {
      const { socket, log, until } = await open(side)
      const types: string[] = [socket.binaryType]
      socket.send(Uint8Array.of(1))
      await vi.waitFor(() => expect(log).toHaveLength(3))
      socket.binaryType = 'arraybuffer'
      socket.send(Uint8Array.of(2))
      await vi.waitFor(() => expect(log).toHaveLength(4))
      types.push(socket.binaryType)
      socket.close()
      await until('close')
      return { log, types }
    })
    expect(seen).toMatchObject({ types: ['blob', 'arraybuffer'] })
  })

  it('counts bytes that are not sent yet, and bytes that are sent after the close', async () => {
    const seen = await expectSame(async (side) => {
      const { socket, until } = await open(side)
      const amounts = [socket.bufferedAmount]
      socket.send('✓')
      socket.send(new ArrayBuffer(10))
      amounts.push(socket.bufferedAmount)
      await vi.waitFor(() => expect(socket.bufferedAmount).toBe(0))
      socket.close()
      await until('close')
      return { amounts, received: await side.received() }
    })
    expect(seen).toMatchObject({ amounts: [0, 13] })
  })

  it('counts what is sent after the close, by its own length', async () => {
    const countOf = async (side: Side): Promise<number[]> => {
      const { socket, until } = await open(side)
      socket.close()
      socket.send('four')
      const amounts = [socket.bufferedAmount]
      await until('close')
      socket.send('four')
      return [...amounts, socket.bufferedAmount]
    }
    expect(await countOf(ours)).toEqual([4, 8])
    // WebKit adds the 6 bytes of a frame's head, which the standard excludes.
    expect([
      [4, 8],
      [10, 20],
    ]).toContainEqual(await countOf(native))
  })

  it.each([
    ['nothing', []],
    ['1000', [1_000]],
    ['1000 and a reason', [1_000, 'done']],
    ['3000', [3_000]],
    ['4999', [4_999, '✓']],
    ['the longest reason', [3_000, 'x'.repeat(123)]],
  ])('closes with %s', async (_name, given) => {
    await expectSame(async (side) => {
      const { socket, log, until } = await open(side)
      socket.close(...(given as [number?, string?]))
      socket.close(1_000, 'a second call does nothing')
      await until('close')
      return log
    })
  })

  it.each([
    [999],
    [1_001],
    [1_005],
    [1_006],
    [2_999],
    [5_000],
    [0],
    [-1],
    [70_000],
    [Number.NaN],
    [1_000, 'x'.repeat(124)],
    [3_000, '✓'.repeat(42)],
  ])('refuses close(%s) as the browser does', async (...given) => {
    await expectSame(async (side) => {
      const { socket, log, until } = await open(side)
      const errors = [thrown(() => socket.close(...(given as [number, string?]))), socket.readyState]
      socket.close()
      await until('close')
      return [errors, log]
    })
  })

  it('refuses to send before it is open', async () => {
    const seen = await expectSame(async (side) => {
      const { socket, until } = watch(side, await side.url())
      const error = thrown(() => socket.send('early'))
      await until('open')
      socket.close()
      return error
    })
    expect(seen).toEqual([true, 'InvalidStateError'])
  })

  it('cancels the handshake if it is closed before it is open', async () => {
    await expectSame(async (side) => {
      const { socket, log, until } = watch(side, await side.url())
      socket.close()
      log.push(socket.readyState)
      await until('close')
      return log
    })
  })

  it.each<[name: string, fault: Fault]>([
    ['a refusal by status', fail('unauthorized')],
    ['a refusal by an error message', fail('unauthorized', { refuseBy: 'frame' })],
    ['a refusal by a close', fail('concurrency_limit_exceeded', { refuseBy: 'close' })],
    ['a close after the open', acceptThenClose(4_000, 'later')],
    ['a close without a reason', acceptThenClose(1_011)],
  ])('shows %s', async (_name, fault) => {
    await expectSame(async (side) => {
      await side.use(fault)
      const { log, until } = watch(side, await side.url())
      await until('close')
      return log
    })
  })

  it('hangs in a handshake that is not answered, until the page closes it', async () => {
    await expectSame(async (side) => {
      await side.use(hang({ on: 'handshake' }))
      const { socket, log, until } = watch(side, await side.url())
      await new Promise((resolve) => requestAnimationFrame(resolve))
      log.push(socket.readyState)
      socket.close()
      await until('close')
      return log
    })
  })

  it.each([
    ['a close of the service', 'close', [1_001, 'going away']],
    ['a close without a code of its own', 'close', []],
  ] as const)('shows %s', async (_name, act, given) => {
    await expectSame(async (side) => {
      const { log, until } = await open(side)
      await side.serve(act, ...(given as []))
      await until('close')
      return log
    })
  })

  it('shows a connection that is reset', async () => {
    await expectSame(async (side) => {
      const { log, until } = await open(side)
      await side.serve('drop')
      await until('close')
      // Firefox reports an error before the close, Chromium does not.
      return log.filter((entry) => (entry as unknown[])[0] !== 'error')
    })
  })

  it('does not open with a subprotocol, because the service agrees to none', async () => {
    const logOf = async (side: Side): Promise<unknown[]> => {
      const { socket, log, until } = watch(side, await side.url(), ['one', 'two'])
      await vi.waitFor(() => expect(log.length).toBeGreaterThan(1))
      socket.close()
      await until('close')
      return [socket.protocol, log]
    }
    const made = ['made', 0]
    const refused = [made, ['error', 3], ['close', 3, 1_006, '', false]]
    expect(await logOf(ours)).toEqual(['', refused])
    // Firefox opens it without a subprotocol.
    const opened = [made, ['open', 1], ['close', 3, 1_005, '', true]]
    expect([refused, opened].map((log) => ['', log])).toContainEqual(await logOf(native))
  })

  /* oxlint-disable unicorn/prefer-add-event-listener -- handlers are the subject */
  it('calls listeners and handlers', async () => {
    const seen = await expectSame(async (side) => {
      const calls: string[] = []
      const socket = new side.WebSocket(await side.url())
      socket.addEventListener('open', () => calls.push('first'))
      socket.onopen = () => calls.push('replaced')
      socket.addEventListener('open', { handleEvent: () => calls.push('object') })
      socket.onopen = function (event) {
        calls.push(`handler ${this === socket} ${event.target === socket} ${event.type}`)
      }
      socket.addEventListener('open', () => calls.push('once'), { once: true })
      socket.onmessage = () => calls.push('never')
      socket.onmessage = null
      await vi.waitFor(() => expect(calls).toHaveLength(4))
      socket.send('x')
      const handlers = [socket.onmessage, typeof socket.onopen, socket.onclose]
      await new Promise<void>((resolve) => {
        socket.onclose = () => resolve()
        socket.close()
      })
      return { calls: calls.toSorted(), handlers }
    })
    expect(seen).toMatchObject({ calls: ['first', 'handler true true open', 'object', 'once'] })
  })
  /* oxlint-enable unicorn/prefer-add-event-listener */

  it.each(['/x?y=1', 'http://127.0.0.1:9/x', 'ws://127.0.0.1:9/x#part', 'ftp://127.0.0.1/'])(
    'takes or refuses the address %s as the browser does',
    async (address) => {
      await expectSame(async (side) => {
        let url = ''
        const error = thrown(() => {
          const socket = new side.WebSocket(address)
          url = socket.url
          socket.close()
        })
        return [error, url]
      })
    },
  )

  it('has the name, the constants and the type of the interface', async () => {
    await expectSame(async (side) => {
      const { socket, until } = await open(side)
      const names = ['CONNECTING', 'OPEN', 'CLOSING', 'CLOSED'] as const
      const facts = [
        side.WebSocket.name,
        names.map((name) => [side.WebSocket[name], socket[name]]),
        socket instanceof EventTarget,
        socket instanceof side.WebSocket,
        socket.url.startsWith('ws'),
      ]
      socket.close()
      await until('close')
      return facts
    })
  })
})
