import { DEFAULT_TTL_MINUTES } from '@stagepass/contract'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createVirtualPlatform } from '../testing/createVirtualPlatform.js'
import { VoiceError } from '../VoiceError.js'
import type { Mint, MintedToken, MintOptions } from './createMint.js'
import { createTabShare } from './createTabShare.js'
import { createLocks } from './locks.test.kit.js'
import { SessionToken, wipeToken } from './SessionToken.js'
import type { TokenSource, TokenState } from './TokenSource.js'

/* The rules of sharing, in virtual time. `createTabShare.browser.test.ts` has the browsers' own locks. */

const LIFE_MS = 300_000
const WALL = Date.UTC(2026, 0, 1)
let sites = 0

function openSite() {
  const name = `site ${++sites}`
  const locks = createLocks()
  // Also in Node, which has no navigator.
  vi.stubGlobal('navigator', { locks })
  onTestFinished(() => void vi.unstubAllGlobals())
  const asked: MintOptions[] = []
  const failures: Error[] = []

  function openTab() {
    const platform = createVirtualPlatform()
    const end = new AbortController()
    onTestFinished(() => end.abort(new VoiceError('ABORTED')))
    let state: TokenState = { status: 'pending', live: undefined, error: null }
    /** While this is set, the BFF does not respond. */
    let until: Promise<void> | undefined
    const mint: Mint = async (_product, options) => {
      asked.push(options)
      const serial = asked.length
      await until
      const failure = failures.shift()
      if (failure) throw failure
      return {
        token: new SessionToken(`secret-${serial}`),
        streamUrl: `wss://stream.example/${serial}`,
        // Each a second later than the one before.
        expiresAt: new Date(WALL + LIFE_MS + 1_000 * serial),
        deadline: platform.now() + LIFE_MS,
        from: 'server',
      }
    }
    const tokens = (): TokenSource => ({ state: () => state }) as TokenSource
    const share = createTabShare({ name, mint, tokens, platform, signal: end.signal })
    return {
      platform,
      end,
      share,
      mint,
      hold(minted: MintedToken, renewAt: number): void {
        const live = { ...minted, product: 'stt', generation: 1 } as const
        state = { status: 'success', live, error: null, renewAt }
      },
      wait(for_: Promise<void>): void {
        until = for_
      },
      get: (options: Partial<MintOptions> = {}, product: 'stt' | 'vt' = 'stt') =>
        share(product, {
          ttlMinutes: undefined,
          fresh: false,
          signal: new AbortController().signal,
          ...options,
        }),
    }
  }

  /** A tab that has a token's lock and stands still. Returns its end. */
  function standStill(lock: string, mode: LockMode = 'shared'): () => void {
    let end = (): void => {}
    void locks.request(lock, { mode }, () => new Promise<void>((resolve) => (end = resolve)))
    return () => end()
  }

  return { name, locks, asked, failures, openTab, standStill }
}

const listed = (name: string, serial: number, ttlMinutes = DEFAULT_TTL_MINUTES): string =>
  `${name} stt ${WALL + LIFE_MS + 1_000 * serial} ${ttlMinutes}`

/** Lets everything happen that needs no time. */
const settle = async (tab: { platform: { advance(ms: number): Promise<void> } }): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await tab.platform.advance(0)
}

describe('a token of another tab', () => {
  it('is taken, with its life from the time of asking', async () => {
    const { openTab, locks, asked, name } = openSite()
    const [one, two] = [openTab(), openTab()]
    const first = await one.get()
    expect(locks.held()).toEqual([`shared ${listed(name, 1)}`])
    await one.platform.advance(40_000)
    await two.platform.advance(7_000)
    const askedAt = two.platform.now()
    const second = await two.get()
    expect(asked).toHaveLength(1)
    expect(second).toMatchObject({
      streamUrl: first.streamUrl,
      expiresAt: first.expiresAt,
      deadline: askedAt + LIFE_MS - 40_000,
      from: 'tab',
    })
    expect(second.token.value).toBe('secret-1')
    // Both can hand it over.
    expect(locks.held()).toEqual(Array(2).fill(`shared ${listed(name, 1)}`))
    await two.platform.advance(LIFE_MS - 40_000 - 1)
    expect(second.token.value).toBe('secret-1')
    await two.platform.advance(1)
    expect(second.token.value).toBe('')
  })

  it('is waited for, while that tab gets it', async () => {
    const { openTab, asked } = openSite()
    const [one, two] = [openTab(), openTab()]
    let respond = (): void => {}
    one.wait(new Promise((resolve) => (respond = resolve)))
    const both = [one.get(), two.get()]
    await settle(two)
    respond()
    const values = (await Promise.all(both)).map(({ token }) => token.value)
    expect(values).toEqual(['secret-1', 'secret-1'])
    expect(asked).toHaveLength(1)
  })

  it('is not taken for another product, nor of another user or site', async () => {
    const site = openSite()
    const other = openSite()
    const one = site.openTab()
    await one.get()
    await site.openTab().get({}, 'vt')
    expect(site.asked).toHaveLength(2)
    await other.openTab().get()
    expect(other.asked).toHaveLength(1)
  })

  it('is not taken in place of a refused one', async () => {
    const { openTab, locks, asked, name } = openSite()
    const [one, two] = [openTab(), openTab()]
    await one.get()
    expect(await two.get({ fresh: true })).toMatchObject({ from: 'server' })
    expect(asked).toMatchObject([{ fresh: false }, { fresh: true }])
    expect(locks.held()).toEqual([`shared ${listed(name, 1)}`, `shared ${listed(name, 2)}`])
  })

  it('is not taken if it was asked to live longer than this tab wishes', async () => {
    const { openTab, asked, locks, name } = openSite()
    await openTab().get({ ttlMinutes: 60 })
    expect(locks.held()).toEqual([`shared ${listed(name, 1, 60)}`])
    await openTab().get({ ttlMinutes: 30 })
    expect(asked).toMatchObject([{ ttlMinutes: 60 }, { ttlMinutes: 30 }])
    await openTab().get({ ttlMinutes: 30 })
    await openTab().get({ ttlMinutes: 90 })
    await openTab().get()
    expect(asked).toHaveLength(2)
  })

  it('is the one that lives longest', async () => {
    const { openTab } = openSite()
    const [one, two] = [openTab(), openTab()]
    await one.get()
    await two.get({ fresh: true })
    expect((await openTab().get()).token.value).toBe('secret-2')
  })

  it('is not the one that this tab has: a newer one is, or one that lives as short as is now wished', async () => {
    const { openTab, asked } = openSite()
    const [one, two] = [openTab(), openTab()]
    await one.get({ ttlMinutes: 60 })
    await two.get()
    // Both have it: the next is new.
    expect((await one.get()).token.value).toBe('secret-2')
    expect((await two.get()).token.value).toBe('secret-2')
    expect(asked).toHaveLength(2)
  })

  it('may be older than its own, if it is asked to live shorter', async () => {
    const { openTab, asked } = openSite()
    const [one, two] = [openTab(), openTab()]
    await one.get({ ttlMinutes: 10 })
    await two.get({ ttlMinutes: 60, fresh: true })
    expect((await two.get({ ttlMinutes: 10 })).token.value).toBe('secret-1')
    expect(asked).toHaveLength(2)
    // Now older, and as long: no reason.
    const three = openTab()
    await three.get({ fresh: true, ttlMinutes: 10 })
    expect(asked).toHaveLength(3)
    expect((await three.get({ ttlMinutes: 10 })).token.value).toBe('secret-4')
  })
})

describe('a tab that hands its token over no longer', () => {
  it('because it needs another one soon, lets the other tab get it', async () => {
    const { openTab, asked } = openSite()
    const [one, two, three] = [openTab(), openTab(), openTab()]
    const minted = await one.get()
    one.hold(minted, one.platform.now() + 1_000)
    expect((await two.get()).token.value).toBe('secret-1')
    two.platform.suspend('freeze')
    await one.platform.advance(1_000)
    expect((await three.get()).token.value).toBe('secret-2')
    expect(asked).toHaveLength(2)
  })

  it('hands it over while only another token of it is due', async () => {
    const { openTab, asked } = openSite()
    const [one, two] = [openTab(), openTab()]
    const minted = await one.get()
    one.hold({ ...minted, token: new SessionToken('other') }, 0)
    await two.get()
    expect(asked).toHaveLength(1)
  })

  it('because the token is wiped, lets the other tab get one', async () => {
    const { openTab, asked } = openSite()
    const [one, two] = [openTab(), openTab()]
    const { token } = await one.get()
    wipeToken(token)
    await two.get()
    expect(asked).toHaveLength(2)
  })

  it.each([
    ['freeze', 0],
    ['pagehide', 0],
    ['offline', 2],
  ] as const)('at "%s" has %i tokens to hand over', async (reason, count) => {
    const { openTab, locks } = openSite()
    const one = openTab()
    await one.get()
    await one.get({}, 'vt')
    one.platform.suspend(reason)
    await settle(one)
    expect(locks.held()).toHaveLength(count)
  })

  it('S37 because its user has left, wipes it', async () => {
    const { openTab, locks, asked } = openSite()
    const [one, two] = [openTab(), openTab()]
    const { token } = await one.get()
    one.end.abort(new VoiceError('ABORTED'))
    await settle(one)
    expect(token.value).toBe('')
    expect(locks.held()).toEqual([])
    await two.get()
    expect(asked).toHaveLength(2)
    // It listens to the page no longer.
    expect(() => one.platform.suspend('freeze')).not.toThrow()
  })

  it('lists none that comes after its user has left', async () => {
    const { openTab, locks } = openSite()
    const one = openTab()
    let respond = (): void => {}
    one.wait(new Promise((resolve) => (respond = resolve)))
    const late = one.get()
    await settle(one)
    one.end.abort(new VoiceError('ABORTED'))
    respond()
    await late
    await settle(one)
    expect(locks.held()).toEqual([])
  })
})

describe('a tab that stands still', () => {
  it('with a token, is waited for fifty turns of a tenth of a second; then the BFF is asked', async () => {
    const { openTab, asked, name, standStill } = openSite()
    standStill(listed(name, 9))
    const one = openTab()
    const got = one.get()
    await one.platform.advance(4_999)
    expect(asked).toHaveLength(0)
    await one.platform.advance(1)
    expect((await got).token.value).toBe('secret-1')
    expect(one.platform.timers).toBe(0)
  })

  it('is passed over for another one that responds', async () => {
    const { openTab, asked, name, standStill } = openSite()
    const one = openTab()
    await one.get()
    standStill(listed(name, 9))
    const two = openTab()
    const got = two.get()
    await two.platform.advance(5_000)
    expect(await got).toMatchObject({ from: 'tab' })
    expect(asked).toHaveLength(1)
  })

  it('and is closed, is waited for no longer', async () => {
    const { openTab, asked, name, standStill, locks } = openSite()
    const close = standStill(listed(name, 9))
    const one = openTab()
    const got = one.get()
    await settle(one)
    expect(asked).toHaveLength(0)
    expect(locks.pending()).toBe(1)
    close()
    await got
    expect(asked).toHaveLength(1)
    expect(one.platform.timers).toBe(0)
  })

  it('while it gets one, is waited for a hundred turns; then this tab asks for itself, and lists its token', async () => {
    const { openTab, asked, name, standStill, locks } = openSite()
    standStill(`${name} stt`, 'exclusive')
    const one = openTab()
    const got = one.get({ ttlMinutes: 40 })
    await one.platform.advance(9_999)
    expect(asked).toHaveLength(0)
    await one.platform.advance(1)
    expect((await got).token.value).toBe('secret-1')
    expect(locks.held()).toContain(`shared ${listed(name, 1, 40)}`)
    expect(locks.pending()).toBe(0)
  })

  it('does not keep a hidden tab, whose timers run once a minute, for more than one turn', async () => {
    const { openTab, asked, name, standStill } = openSite()
    standStill(listed(name, 9))
    const one = openTab()
    const later = one.platform.setTimeout.bind(one.platform)
    let turns = 0
    one.platform.setTimeout = (callback) => {
      turns += 1
      return later(callback, 60_000)
    }
    const got = one.get()
    await one.platform.advance(60_000)
    await got
    expect(asked).toHaveLength(1)
    // One for the product's lock, one for the token.
    expect(turns).toBe(2)
  })

  it('has other locks than that of a token of this product and site', async () => {
    const { openTab, asked, name, standStill } = openSite()
    standStill(`${name} stt-other 1 15`)
    standStill(`${name} stt 1 15`, 'exclusive')
    standStill('another 1 15')
    await openTab().get()
    expect(asked).toHaveLength(1)
  })
})

describe('a request', () => {
  it('that fails is not sent again, and the next tab may ask', async () => {
    const { openTab, asked, failures, locks } = openSite()
    const [one, two] = [openTab(), openTab()]
    const failure = new VoiceError('CACHE_UNAVAILABLE')
    failures.push(failure)
    await expect(one.get()).rejects.toBe(failure)
    expect(asked).toHaveLength(1)
    expect(locks.held()).toEqual([])
    expect((await two.get()).token.value).toBe('secret-2')
  })

  it('that is cancelled while it waits for another tab ends there', async () => {
    const { openTab, asked, name, standStill, locks } = openSite()
    const close = standStill(`${name} stt`, 'exclusive')
    const one = openTab()
    const cancel = new AbortController()
    const got = one.get({ signal: cancel.signal })
    const refused = got.catch((thrown: unknown) => thrown)
    await settle(one)
    cancel.abort()
    expect(await refused).toBeInstanceOf(Error)
    close()
    await settle(one)
    expect(asked).toHaveLength(0)
    expect(locks.pending()).toBe(0)
    expect(one.platform.timers).toBe(0)
  })

  it('that is cancelled while it asks a tab ends there', async () => {
    const { openTab, asked, name, standStill, locks } = openSite()
    standStill(listed(name, 9))
    const one = openTab()
    const cancel = new AbortController()
    const reason = new VoiceError('ABORTED')
    const refused = one.get({ signal: cancel.signal }).catch((thrown: unknown) => thrown)
    await settle(one)
    cancel.abort(reason)
    expect(await refused).toBe(reason)
    expect(asked).toHaveLength(0)
    expect(locks.pending()).toBe(0)
    expect(one.platform.timers).toBe(0)
  })

  it('in a page that may not lock is sent by each tab', async () => {
    const { openTab, asked } = openSite()
    const request = () => Promise.reject(new DOMException('no', 'SecurityError'))
    vi.stubGlobal('navigator', { locks: { request, query: () => Promise.resolve({}) } })
    const [one, two] = [openTab(), openTab()]
    await one.get()
    await two.get()
    expect(asked).toHaveLength(2)
  })
})

describe('a tab that cannot share', () => {
  const shareOf = (mint: Mint, signal: AbortSignal): Mint =>
    createTabShare({
      name: 'a site',
      mint,
      tokens: () => ({}) as TokenSource,
      platform: createVirtualPlatform(),
      signal,
    })

  it('asks for itself: without locks, without channels, or after its user has left', () => {
    const { mint } = openSite().openTab()
    const { signal } = new AbortController()
    expect(shareOf(mint, signal)).not.toBe(mint)
    expect(shareOf(mint, AbortSignal.abort())).toBe(mint)
    const { BroadcastChannel } = globalThis
    vi.stubGlobal('BroadcastChannel', undefined)
    expect(shareOf(mint, signal)).toBe(mint)
    vi.stubGlobal('BroadcastChannel', BroadcastChannel)
    vi.stubGlobal('navigator', {})
    expect(shareOf(mint, signal)).toBe(mint)
    vi.stubGlobal('navigator', undefined)
    expect(shareOf(mint, signal)).toBe(mint)
  })
})
