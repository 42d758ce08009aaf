import { expect, it, vi } from 'vitest'
import { setupVoice } from '../testing/setupVoice.test.kit.js'
import { sourceOf } from './sourceOf.test.kit.js'

it('mints for each tab alone where the browser has no locks', async () => {
  expect('locks' in navigator).toBe(false)
  await using setup = await setupVoice({ client: { shareAcrossTabs: true } })
  setup.voice.setUser('ada')
  const live = await sourceOf(setup.voice, 'stt').get()
  expect(live.generation).toBe(1)
  setup.voice.reset()
  expect((await sourceOf(setup.voice, 'stt').get()).token.value).not.toBe(live.token.value)
  expect(setup.asked).toHaveLength(2)
})

it('S37 has a channel for each user, and none while no user is given', async () => {
  const open = new Set<string>()
  const names: string[] = []
  class Channel {
    readonly name: string
    constructor(name: string) {
      this.name = name
      names.push(name)
      open.add(name)
    }
    addEventListener(): void {}
    postMessage(): void {}
    close(): void {
      open.delete(this.name)
    }
  }
  vi.stubGlobal('BroadcastChannel', Channel)
  const request = (_name: string, _options: object, act: (lock: object) => unknown) => act({})
  const query = () => Promise.resolve({ held: [], pending: [] })
  Object.defineProperty(navigator, 'locks', { value: { request, query }, configurable: true })
  try {
    await using setup = await setupVoice({
      bff: { authorize: (req) => ({ user: req.get('x-stagepass-user') ?? 'ada' }) },
      client: { shareAcrossTabs: true },
    })
    for (const user of [undefined, 'ada', 'ben', null]) {
      if (user !== undefined) setup.voice.setUser(user)
      if (user !== null) await sourceOf(setup.voice, 'stt').get()
      expect(open.size).toBe(typeof user === 'string' ? 1 : 0)
    }
    expect(names).toHaveLength(2)
    expect(new Set(names).size).toBe(2)
  } finally {
    Reflect.deleteProperty(navigator, 'locks')
  }
})
