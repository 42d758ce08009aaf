import * as fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type * as Queues from './queue/createSendQueue.js'
import type { StreamInput } from './machine/input.js'
import { NO_RETRIES } from './machine/state.js'
import type * as Transitions from './machine/transition.js'

afterEach(() => {
  vi.resetModules()
  vi.doUnmock('./machine/transition.js')
  vi.doUnmock('./queue/createSendQueue.js')
})

/** Loads the model anew, with whatever fault was planted. The same sequences at every run: the benchmark explores. */
async function check(runs: number): Promise<string> {
  const { checkModel } = await import('./streamModel.test.kit.js')
  const details = await checkModel({ runs, seed: 7 })
  return details.failed ? `${String(details.errorInstance)}\n${fc.defaultReportMessage(details)}` : 'held'
}

describe('the model', () => {
  it('holds its invariants through whatever happens', async () => {
    expect(await check(1_000)).toBe('held')
  }, 60_000)

  it('finds a counter that is reset when a socket opens', async () => {
    vi.doMock('./machine/transition.js', async (load) => {
      const real = await load<typeof Transitions>()
      const transition: typeof real.transition = (state, input, world) => {
        const next = real.transition(state, input, world)
        return input.type === 'opened' && next.status === 'open' ? { ...next, retries: NO_RETRIES } : next
      }
      return { ...real, transition }
    })
    expect(await check(20_000)).toContain('handshakes in 2 s')
  }, 60_000)

  it('finds a queue that is emptied by a reconnect', async () => {
    vi.doMock('./queue/createSendQueue.js', async (load) => {
      const real = await load<typeof Queues>()
      const createSendQueue: typeof real.createSendQueue = (options) => {
        let quiet = false
        let attached = false
        const queue = real.createSendQueue({
          ...options,
          onDrop: (...drop) => (quiet ? undefined : options.onDrop(...drop)),
        })
        return {
          ...queue,
          attach(socket) {
            quiet = !attached
            if (socket && !attached) queue.end()
            quiet = false
            attached = socket !== undefined
            queue.attach(socket)
          },
        }
      }
      return { ...real, createSendQueue }
    })
    expect(await check(20_000)).toContain('were counted as dropped')
  }, 60_000)

  it('finds the use of a token that came late', async () => {
    vi.doMock('./machine/transition.js', async (load) => {
      const real = await load<typeof Transitions>()
      let late: Extract<StreamInput, { type: 'minted' }> | undefined
      const transition: typeof real.transition = (state, input, world) => {
        if (input.type !== 'minted') return real.transition(state, input, world)
        // The answer to the question before is taken for this one's.
        const { token } = late ?? input
        late = input
        return real.transition(state, { ...input, token: { ...token, deadline: Infinity } }, world)
      }
      return { ...real, transition }
    })
    expect(await check(20_000)).toMatch(/after its expiry|used again after it was refused/)
  }, 60_000)
})
