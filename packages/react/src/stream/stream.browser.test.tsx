import { openBrowserStack } from '@stagepass/testing/browser'
import { cleanup } from '@testing-library/react'
import { commands } from 'vitest/browser'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { open } from './openPage.test.kit.js'
import { sourceOf } from '../token/sourceOf.test.kit.js'

afterEach(cleanup)

/**
 * Names of the components whose fibre contains this text in a place that React DevTools can show: props,
 * hooks, state, in both trees.
 */
function fibresHolding(text: string): string[] {
  const [key] = Object.keys(container()).filter((name) => name.startsWith('__reactContainer$'))
  const root = (container() as unknown as Record<string, { stateNode: { current: Fibre } }>)[String(key)]
  const found = new Set<string>()
  const walk = (fibre: Fibre | null | undefined): void => {
    if (!fibre) return
    for (const one of [fibre, fibre.alternate]) {
      if (!one) continue
      const name = typeof one.type === 'function' ? one.type.name : String(one.type)
      if (holds([one.memoizedProps, one.memoizedState, one.stateNode], text, new Set())) found.add(name)
      walk(one.child)
    }
    walk(fibre.sibling)
  }
  walk(root?.stateNode.current)
  return [...found]
}

interface Fibre {
  readonly type: unknown
  readonly child: Fibre | null
  readonly sibling: Fibre | null
  readonly alternate: Fibre | null
  readonly memoizedProps: unknown
  readonly memoizedState: unknown
  readonly stateNode: unknown
}

function container(): Element {
  return document.body.firstElementChild as Element
}

function holds(value: unknown, text: string, seen: Set<unknown>): boolean {
  if (typeof value === 'string') return value.includes(text)
  if (typeof value !== 'object' || value === null || seen.has(value) || value instanceof Node) return false
  seen.add(value)
  return Reflect.ownKeys(value).some((key) => {
    if (typeof key === 'string' && key.includes(text)) return true
    // The fibres themselves are visited elsewhere.
    if (['return', 'child', 'sibling', 'alternate', '_owner', 'key'].includes(String(key))) return false
    try {
      return holds((value as Record<PropertyKey, unknown>)[key], text, seen)
    } catch {
      return false
    }
  })
}

describe('a stream', () => {
  it('speaks', async () => {
    await using stack = await openBrowserStack({ emulator: { echo: true } })
    // The first test of an engine may open slowly, and data that waits for longer than `maxAgeMs` is dropped.
    const queue = { maxAgeMs: 60_000 }
    const page = open(stack, { queue })
    page.stream.send('first')
    await page.until('open')
    await vi.waitFor(() => expect(page.heard).toEqual(['first']))
    expect(await stack.run(({ upstream }) => upstream.counts)).toMatchObject({ token: 1, handshake: 1 })
  })

  it('rolls over during live audio: every frame arrives once, and in order', async () => {
    await using stack = await openBrowserStack({ emulator: { echo: true } })
    const page = open(stack, { rollover: { deadlineMs: 400 } })
    await page.until('open')
    let frames = 0
    // Fifty frames before the rollover, and fifty after it.
    for (let after = 0; after < 50;) {
      page.stream.send(Uint32Array.of((frames += 1)).buffer)
      if (frames === 50) void sourceOf(page.client, 'stt').renew()
      if (page.types().includes('stream.rolled_over')) after += 1
      await new Promise(requestAnimationFrame)
    }
    await vi.waitFor(async () => {
      const arrived = await stack.run(({ upstream }) =>
        upstream.frames.map(({ data, socketId }) => [(data as Buffer).readUInt32LE(0), socketId] as const),
      )
      expect(arrived.map(([frame]) => frame)).toEqual(Array.from({ length: frames }, (_, index) => index + 1))
      expect(new Set(arrived.map(([, socket]) => socket)).size).toBe(2)
    })
    expect(page.types().filter((type) => type === 'stream.rolled_over')).toHaveLength(1)
    expect(page.types()).not.toContain('stream.reconnecting')
    await vi.waitFor(async () => expect(await stack.run(({ upstream }) => upstream.sockets.length)).toBe(1))
  })

  it('keeps the stream open if a second session is refused', async () => {
    await using stack = await openBrowserStack({ emulator: { echo: true, maxSessions: 1 } })
    const page = open(stack, { rollover: 'seamless' })
    await page.until('open')
    await sourceOf(page.client, 'stt').renew()
    await vi.waitFor(() => expect(page.types()).toContain('stream.rollover_refused'))
    page.stream.send('still here')
    await vi.waitFor(() => expect(page.heard).toEqual(['still here']))
    expect(page.stream.status).toBe('open')
    expect(page.types()).not.toContain('stream.reconnecting')
  })

  it('passes a burst to the socket in small parts, in order', async () => {
    await using stack = await openBrowserStack()
    const page = open(stack)
    await page.until('open')
    const burst = Array.from({ length: 60 }, (_, index) => new Uint8Array(10_000).fill(index).buffer)
    const results = burst.map((frame) => page.stream.send(frame))
    expect(new Set(results)).toEqual(new Set(['sent', 'queued']))
    await vi.waitFor(async () => {
      const arrived = await stack.run(({ upstream }) =>
        upstream.frames.map(({ data }) => (data as Buffer)[0]),
      )
      expect(arrived).toEqual(burst.map((_, index) => index))
    })
  })

  it('reconnects if the server closes at the expiry', async () => {
    await using stack = await openBrowserStack({ emulator: { echo: true, cutAtExpiry: true } })
    const page = open(stack)
    await page.until('open')
    await stack.run(({ upstream }, { delay }) => {
      upstream.use(delay(500, { on: 'handshake' }))
      for (const { sessionKey } of upstream.sockets) {
        upstream.tokens.update(sessionKey, { expiresAtMs: upstream.clock.now() })
      }
    })
    await page.until('reconnecting')
    page.stream.send('spoken meanwhile')
    await vi.waitFor(() => expect(page.heard).toEqual(['spoken meanwhile']))
    expect(await stack.run(({ upstream }) => upstream.counts)).toMatchObject({ token: 2, handshake: 2 })
  })

  it('reconnects at once when it is online again, if nothing was heard meanwhile', async () => {
    await using stack = await openBrowserStack({ emulator: { echo: true } })
    const page = open(stack, { queue: { maxAgeMs: 60_000 } })
    await page.until('open')
    await commands.goOffline(2_000)
    await vi.waitFor(async () => expect(await stack.run(({ upstream }) => upstream.counts.handshake)).toBe(2))
    await page.until('open')
    page.stream.send('back')
    await vi.waitFor(() => expect(page.heard).toEqual(['back']))
  })

  it('stays open and carries data while only the browser says that it is offline', async () => {
    await using stack = await openBrowserStack({ emulator: { echo: true } })
    const page = open(stack)
    await page.until('open')
    const onLine = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
    window.dispatchEvent(new Event('offline'))
    expect(page.stream.send('spoken behind a VPN')).toBe('sent')
    await vi.waitFor(() => expect(page.heard).toEqual(['spoken behind a VPN']))
    onLine.mockRestore()
    window.dispatchEvent(new Event('online'))
    page.stream.send('and after it')
    await vi.waitFor(() => expect(page.heard).toEqual(['spoken behind a VPN', 'and after it']))
    expect(page.stream.status).toBe('open')
    expect(await stack.run(({ upstream }) => upstream.counts)).toMatchObject({ token: 1, handshake: 1 })
  })

  it(
    'ends its session when the tab freezes, and opens a new one when it resumes',
    { timeout: 30_000 },
    async () => {
      await using stack = await openBrowserStack({ emulator: { echo: true } })
      const page = open(stack)
      await page.until('open')
      document.dispatchEvent(new Event('freeze'))
      await vi.waitFor(async () => expect(await stack.run(({ upstream }) => upstream.sockets.length)).toBe(0))
      await commands.stopPage(1_200)
      document.dispatchEvent(new Event('resume'))
      page.stream.send('back')
      await vi.waitFor(() => expect(page.heard).toEqual(['back']))
      expect(await stack.run(({ upstream }) => upstream.counts)).toMatchObject({ token: 1, handshake: 2 })
    },
  )

  it('gets the events from while its process was stopped', async () => {
    await using stack = await openBrowserStack({ emulator: { echo: true } })
    const page = open(stack)
    await page.until('open')
    await stack.run(
      ({ upstream }) => void setTimeout(() => upstream.sockets[0]?.close(1001, 'restarting'), 400),
    )
    await commands.stopPage(1_200)
    // Firefox reports the close shortly after the process continues.
    await vi.waitFor(() => expect(page.types()).toContain('stream.reconnecting'))
    page.stream.send('spoken after')
    await vi.waitFor(() => expect(page.heard).toEqual(['spoken after']))
    expect(page.stream.status).toBe('open')
  })

  it(
    'S31 keeps the token out of everything that React, the page or a dump can show, and forgets the old one',
    { timeout: 60_000 },
    async () => {
      await using stack = await openBrowserStack({ emulator: { echo: true, cutAtExpiry: true } })
      const page = open(stack, { key: 'main key' })
      await page.until('open')
      const [first] = await stack.run(({ upstream }) => upstream.sockets.map(({ sessionKey }) => sessionKey))
      expect(first).toMatch(/^st_/)
      expect(fibresHolding('main key')).toContain('Show')
      expect(fibresHolding(String(first))).toEqual([])
      expect(
        JSON.stringify([
          page.events,
          page.stream,
          Object.entries(localStorage),
          Object.entries(sessionStorage),
        ]),
      ).not.toContain(first)
      expect(document.documentElement.outerHTML).not.toContain(first)

      await stack.run(({ upstream }) => upstream.sockets[0]?.drop())
      await stack.run(
        ({ upstream }, _, key) => void upstream.tokens.update(key, { expiresAtMs: 0 }),
        String(first),
      )
      await vi.waitFor(() => expect(page.types().filter((type) => type === 'stream.opened')).toHaveLength(2))
      expect(fibresHolding(String(first))).toEqual([])
      page.unmount()
    },
  )
})
