import { expect, it, onTestFinished, vi } from 'vitest'
import { createVoiceClient } from '../createVoiceClient.js'
import type { VoiceEvent } from '../client/events.js'
import { createVirtualPlatform } from '../testing/createVirtualPlatform.js'
import type { Platform } from '../platform/platform.js'
import type { VoiceClient } from '../createVoiceClient.js'
import { sourceOf } from './sourceOf.test.kit.js'

// Two clients on one page are two tabs to Web Locks and BroadcastChannel.
let site = 0

interface Tab {
  readonly voice: VoiceClient
  readonly events: VoiceEvent[]
}

interface Site {
  readonly tab: (user?: string | null, platform?: Platform) => Tab
  readonly minted: () => number
  /** The locks that tabs of this site hold or wait for: of tokens, without the names of site and user. */
  readonly locks: () => Promise<{ readonly held: readonly string[]; readonly pending: readonly string[] }>
}

function openSite(): Site {
  const url = `/api/voice-${++site}`
  let minted = 0
  return {
    minted: () => minted,
    async locks() {
      const { held = [], pending = [] } = await navigator.locks.query()
      const ours = (all: LockInfo[]) =>
        all.flatMap(({ name = '', mode }) => (name.includes(`${url}"`) ? [`${mode} ${name}`] : []))
      return { held: ours(held), pending: ours(pending) }
    },
    tab(user: string | null | undefined = 'ada', platform) {
      const events: VoiceEvent[] = []
      const voice = createVoiceClient({
        url,
        shareAcrossTabs: true,
        platform,
        onEvent: (event) => events.push(event),
        fetch: (_input, init) => {
          minted += 1
          const { usage_type } = JSON.parse(init?.body as string) as { usage_type: string }
          return Promise.resolve(
            Response.json({
              session_key: `secret-${minted}`,
              type: 'session',
              usage_type,
              status: 'LICENSE_VALID',
              expires_at: new Date(Date.now() + 300_000).toISOString(),
              expires_in_ms: 300_000,
              stream_url: 'wss://stream.example/stt',
            }),
          )
        },
      })
      if (user !== '') voice.setUser(user)
      return { voice, events }
    },
  }
}

it('mints once for tabs that ask at the same moment', async () => {
  const { tab, minted } = openSite()
  const tabs = Array.from({ length: 5 }, () => tab())
  const live = await Promise.all(tabs.map(({ voice }) => sourceOf(voice, 'stt').get()))
  expect(minted()).toBe(1)
  expect(new Set(live.map(({ token }) => token.value))).toEqual(new Set(['secret-1']))
  const minters = tabs.filter(({ events }) =>
    events.some((event) => 'from' in event && event.from === 'server'),
  )
  const adopters = tabs.filter(({ events }) =>
    events.some((event) => 'from' in event && event.from === 'tab'),
  )
  expect([minters.length, adopters.length]).toEqual([1, 4])
  expect(JSON.stringify(tabs.map(({ events }) => events))).not.toContain('secret-')
})

/** Each message takes so long, as on a machine that does much else. */
function delayMessages(ms: number): void {
  vi.stubGlobal(
    'BroadcastChannel',
    class extends BroadcastChannel {
      override postMessage(message: unknown): void {
        // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin alone
        setTimeout(() => super.postMessage(message), ms)
      }
    },
  )
  onTestFinished(() => void vi.unstubAllGlobals())
}

it('mints once for tabs that ask at the same moment on a busy machine, where messages take long', async () => {
  delayMessages(300)
  const { tab, minted } = openSite()
  const tabs = Array.from({ length: 3 }, () => tab())
  await Promise.all(tabs.map(({ voice }) => sourceOf(voice, 'stt').get()))
  expect(minted()).toBe(1)
})

it('waits for the answer of a tab that has a token, however long it takes', async () => {
  delayMessages(300)
  const { tab, minted } = openSite()
  const [first, second] = [tab(), tab()]
  await sourceOf(first.voice, 'stt').get()
  expect((await sourceOf(second.voice, 'stt').get()).token.value).toBe('secret-1')
  expect(minted()).toBe(1)
})

/**
 * A page of this site that holds a token's lock and answers nobody, as one that stands still; and is closed
 * by `close`.
 */
async function openSilentTab(site: Site): Promise<{ close: () => void }> {
  const [first] = [site.tab()]
  await sourceOf(first.voice, 'stt').get()
  const { held } = await site.locks()
  const [lock = ''] = held.map((one) => one.replace(/^shared /, ''))
  const frame = document.body.appendChild(document.createElement('iframe'))
  onTestFinished(() => frame.remove())
  await new Promise<void>((resolve) => {
    void frame.contentWindow!.navigator.locks.request(lock, { mode: 'shared' }, () => {
      resolve()
      return new Promise(() => {})
    })
  })
  first.voice.setUser(null)
  return { close: () => frame.remove() }
}

it('asks the BFF once the last tab that had the token is closed', async () => {
  const site = openSite()
  const silent = await openSilentTab(site)
  const second = sourceOf(site.tab().voice, 'stt').get()
  await vi.waitFor(async () => expect((await site.locks()).pending).toHaveLength(1))
  expect(site.minted()).toBe(1)
  silent.close()
  expect((await second).token.value).toBe('secret-2')
  expect(site.minted()).toBe(2)
})

it('does not wait for ever for a tab that stands still', async () => {
  const site = openSite()
  await openSilentTab(site)
  const platform = createVirtualPlatform()
  const second = sourceOf(site.tab('ada', platform).voice, 'stt').get()
  await vi.waitFor(async () => {
    await platform.advance(1_000)
    expect(site.minted()).toBe(2)
  })
  expect((await second).token.value).toBe('secret-2')
})

it('takes a newer token at a renewal, and not its own from another tab', async () => {
  const site = openSite()
  const platforms = [0.9, 0].map((random) => createVirtualPlatform({ random: () => random }))
  const sources = platforms.map((platform) => sourceOf(site.tab('ada', platform).voice, 'stt'))
  const undos = sources.map((source) => source.retain())
  onTestFinished(() => undos.forEach((undo) => undo()))
  for (const source of sources) await source.get()
  expect(site.minted()).toBe(1)
  // The renewal of the first is due 34 s before the token expires, that of the second 30 s before.
  for (const platform of platforms) await platform.advance(264_000)
  await vi.waitFor(() => expect(sources[0]!.current()?.token.value).toBe('secret-2'))
  for (const platform of platforms) await platform.advance(6_000)
  await vi.waitFor(() => expect(sources[1]!.current()?.token.value).toBe('secret-2'))
  expect(site.minted()).toBe(2)
})

it('leaves no lock behind when the user leaves, and none while the page is frozen', async () => {
  const site = openSite()
  const platform = createVirtualPlatform()
  const { voice } = site.tab('ada', platform)
  await sourceOf(voice, 'stt').get()
  expect((await site.locks()).held).toEqual([expect.stringMatching(/^shared /)])
  platform.suspend('freeze')
  await vi.waitFor(async () => expect((await site.locks()).held).toEqual([]))
  await sourceOf(voice, 'vt').get()
  expect((await site.locks()).held).toHaveLength(1)
  voice.setUser(null)
  await vi.waitFor(async () => expect((await site.locks()).held).toEqual([]))
})

it('counts the life of a token that came from another tab from the moment of asking', async () => {
  const { tab } = openSite()
  const first = tab()
  const second = tab()
  const minted = await sourceOf(first.voice, 'stt').get()
  const asked = performance.now()
  const shared = await sourceOf(second.voice, 'stt').get()
  expect(shared.token.value).toBe(minted.token.value)
  expect(shared.deadline).toBeLessThanOrEqual(minted.deadline)
  expect(shared.deadline).toBeGreaterThan(asked)
})

it('S37 mints anew in place of a refused token, for each product, and for each user', async () => {
  const { tab, minted } = openSite()
  const [first, second, stranger] = [tab('ada'), tab('ada'), tab('grace')]
  await sourceOf(first.voice, 'stt').get()
  await sourceOf(second.voice, 'stt').get({ notGeneration: 1 })
  expect(minted()).toBe(2)
  await sourceOf(second.voice, 'vt').get()
  expect(minted()).toBe(3)
  await sourceOf(stranger.voice, 'stt').get()
  expect(minted()).toBe(4)
})

it('does not hand over a token that lives longer than the other tab wishes', async () => {
  const { tab, minted } = openSite()
  await sourceOf(tab().voice, 'stt').get({ ttlMinutes: 60 })
  await sourceOf(tab().voice, 'stt').get({ ttlMinutes: 30 })
  expect(minted()).toBe(2)
  await sourceOf(tab().voice, 'stt').get({ ttlMinutes: 90 })
  expect(minted()).toBe(2)
})

it('S37 gives no token of the user who was in a tab to the next one', async () => {
  const { tab, minted } = openSite()
  const [first, second] = [tab('ada'), tab('ada')]
  await sourceOf(first.voice, 'stt').get()
  expect((await sourceOf(second.voice, 'stt').get()).token.value).toBe('secret-1')
  first.voice.setUser('grace')
  expect((await sourceOf(first.voice, 'stt').get()).token.value).toBe('secret-2')
  // The tab of the user who stayed has its token; the one that left answers no question for it any longer.
  expect(sourceOf(second.voice, 'stt').current()?.token.value).toBe('secret-1')
  second.voice.setUser('grace')
  expect((await sourceOf(second.voice, 'stt').get()).token.value).toBe('secret-2')
  expect(minted()).toBe(2)
})

it('S37 shares nothing while no user is given', async () => {
  const { tab, minted } = openSite()
  for (const { voice } of [tab(''), tab('')]) await sourceOf(voice, 'stt').get()
  expect(minted()).toBe(2)
})

it('leaves nothing in storage', async () => {
  const { tab } = openSite()
  await sourceOf(tab().voice, 'stt').get()
  expect(localStorage.length + sessionStorage.length).toBe(0)
  expect(await indexedDB.databases()).toEqual([])
  expect(await caches.keys()).toEqual([])
})
