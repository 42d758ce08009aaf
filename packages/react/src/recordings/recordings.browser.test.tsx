import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { useRecovery } from '../audio/recovery/useRecovery.js'
import { clientOf, createVoiceClient, type VoiceClient } from '../client/createVoiceClient.js'
import type { VoiceEvent } from '../events/events.js'
import { createPlatform } from '../platform/createPlatform.js'
import { keepRecording } from './keepRecording.js'
import type { SoundCopy } from './SoundCopy.js'
import { pageOf } from '../client/pageOf.test.kit.js'

const RATE = 16_000
const FRAME = 320
const FRAMES_A_SECOND = 50
const HOUR_MS = 3_600_000

const clients: VoiceClient[] = []

beforeEach(
  () =>
    new Promise<void>((resolve, reject) => {
      const deleting = indexedDB.deleteDatabase('stagepass')
      deleting.addEventListener('success', () => resolve())
      deleting.addEventListener('error', () => reject(deleting.error as Error))
    }),
)
afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  for (const client of clients.splice(0)) client.setUser(null)
})

/** A page of a user. `laterMs`: its clock is ahead. */
function openPage(user: string | undefined, { url = '/api/voice', laterMs = 0 } = {}) {
  const events: VoiceEvent[] = []
  const platform = createPlatform()
  const client = createVoiceClient({
    url,
    onEvent: (event) => events.push(event),
    platform: { ...platform, wallNow: () => platform.wallNow() + laterMs },
  })
  clients.push(client)
  if (user !== undefined) client.setUser(user)
  return {
    client,
    events,
    record: (): SoundCopy =>
      keepRecording({ client: clientOf(client), product: 'stt', key: 'default', sampleRate: RATE }),
    recover: () =>
      renderHook(() => useRecovery('stt').recordings, {
        wrapper: pageOf(client),
      }).result,
  }
}

const BEGAN_AT = performance.now()

/** Seconds of sound, whose samples say in which second they are. */
function say(copy: SoundCopy, from: number, to: number, isUnfinished = true): void {
  for (let frame = from * FRAMES_A_SECOND; frame < to * FRAMES_A_SECOND; frame += 1) {
    const level = 1_000 + Math.floor(frame / FRAMES_A_SECOND)
    const pcm = new Int16Array(FRAME).fill(level)
    const saidAt = BEGAN_AT + (frame * 1_000) / FRAMES_A_SECOND
    copy.added(frame * FRAME, new Uint8Array(pcm.buffer), saidAt, isUnfinished)
  }
}

/** The number of rows of each store. Nothing if the database is not there, because opening would create it. */
async function stored(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const opening = indexedDB.open('stagepass')
  opening.addEventListener('upgradeneeded', () => opening.transaction?.abort())
  const database = await new Promise<IDBDatabase | undefined>((resolve) => {
    opening.addEventListener('success', () => resolve(opening.result))
    opening.addEventListener('error', () => resolve(undefined))
  })
  for (const name of database?.objectStoreNames ?? []) {
    const counting = database!.transaction(name).objectStore(name).count()
    counts[name] = await new Promise((resolve) =>
      counting.addEventListener('success', () => resolve(counting.result)),
    )
  }
  database?.close()
  return counts
}

const NOTHING = { recordings: 0, pieces: 0 }

/** The WAV file that a download saves. */
async function fileOf(download: () => Promise<void>): Promise<{ name: string; wav: ArrayBuffer }> {
  const create = vi.spyOn(URL, 'createObjectURL')
  const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue()
  await download()
  const [[blob]] = create.mock.calls as [[Blob]]
  const [link] = click.mock.contexts as [HTMLAnchorElement]
  return { name: link.download, wav: await blob.arrayBuffer() }
}

/** Ada says so many seconds, and her session ends with these seconds final. `rest`: what comes after them. */
async function leave(seconds: number, final = 0, page = openPage('ada'), rest: 'words' | 'quiet' = 'words') {
  const copy = page.record()
  say(copy, 0, seconds)
  if (final > 0) copy.released(final * RATE, 'final', rest === 'words')
  copy.released(seconds * RATE, 'over', false)
  return page
}

describe('what is not final when a session ends', () => {
  it('is offered to the same user, as a WAV file too', async () => {
    const page = await leave(4, 1)
    const recordings = page.recover()
    await vi.waitFor(() => expect(recordings.current).toHaveLength(1))
    const [recording] = recordings.current
    expect(recording).toMatchObject({ durationMs: 3_000 })
    expect(Math.abs(Number(recording?.startedAt) - Date.now())).toBeLessThan(60_000)
    const { name, wav } = await fileOf(recording!.download)
    expect(name).toMatch(/^stt-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.wav$/)
    expect(new TextDecoder().decode(wav.slice(0, 4))).toBe('RIFF')
    const samples = new Int16Array(wav.slice(44))
    expect(samples).toHaveLength(3 * RATE)
    expect([...new Set(samples)]).toEqual([1_001, 1_002, 1_003])
  })

  it('begins in the middle of a piece if the text ended there', async () => {
    const page = openPage('ada')
    const copy = page.record()
    say(copy, 0, 2)
    copy.released(RATE + 700, 'final', true)
    copy.released(2 * RATE, 'over', false)
    const recordings = page.recover()
    await vi.waitFor(() => expect(recordings.current).toHaveLength(1))
    const { wav } = await fileOf(recordings.current[0]!.download)
    expect(new Int16Array(wav.slice(44))).toHaveLength(RATE - 700)
  })

  it('is gone after `discard`', async () => {
    const page = await leave(2)
    const recordings = page.recover()
    await vi.waitFor(() => expect(recordings.current).toHaveLength(1))
    await act(() => recordings.current[0]!.discard())
    await vi.waitFor(() => expect(recordings.current).toHaveLength(0))
    expect(await stored()).toMatchObject(NOTHING)
  })

  it('is nothing if all texts were final, or only the quiet after the last word is left', async () => {
    const page = openPage('ada')
    await leave(3, 3, page)
    await leave(3, 2, page, 'quiet')
    await leave(3, 1, page)
    await vi.waitFor(async () => expect(await stored()).toEqual({ keys: 1, recordings: 1, pieces: 20 }))
    const recordings = page.recover()
    await vi.waitFor(() => expect(recordings.current).toMatchObject([{ durationMs: 2_000 }]))
  })

  it('is nothing while the session goes on, also for another page', async () => {
    const page = await leave(2)
    await vi.waitFor(async () => expect((await stored()).pieces).toBe(20))
    const copy = page.record()
    say(copy, 0, 3)
    await vi.waitFor(async () => expect((await stored()).pieces).toBe(50))
    const [own, other] = [page.recover(), openPage('ada').recover()]
    for (const recordings of [own, other])
      await vi.waitFor(() => expect(recordings.current).toMatchObject([{ durationMs: 2_000 }]))
    copy.released(3 * RATE, 'over', false)
    await vi.waitFor(() => expect(own.current).toHaveLength(2))
  })
})

it('quiet is on the disk only before a word that follows', async () => {
  const copy = openPage('ada').record()
  const quiet = (from: number, to: number): void => say(copy, from, to, false)
  quiet(0, 1)
  copy.released(0.7 * RATE, 'quiet', false)
  say(copy, 1, 2)
  await vi.waitFor(async () => expect((await stored()).pieces).toBe(13))
  // A click, and not a word. The piece before the seam stays, because it may end behind it.
  copy.released(1.9 * RATE, 'quiet', false)
  await vi.waitFor(async () => expect((await stored()).pieces).toBe(2))
  quiet(2, 4)
  copy.released(3.7 * RATE, 'quiet', false)
  say(copy, 4, 5)
  await vi.waitFor(async () => expect((await stored()).pieces).toBe(14))
})

it('sound that fell out of the journal stays on the disk, though the session goes on', async () => {
  const page = openPage('ada')
  const copy = page.record()
  say(copy, 0, 3)
  // The journal keeps 2 s.
  for (const second of [1, 1.5]) copy.released(second * RATE, 'full', true)
  say(copy, 3, 4)
  await vi.waitFor(async () => expect((await stored()).pieces).toBe(40))
  copy.released(2 * RATE, 'final', true)
  const recordings = page.recover()
  copy.released(3.5 * RATE, 'final', true)
  await vi.waitFor(() => expect(recordings.current).toMatchObject([{ durationMs: 1_500 }]))
  copy.released(4 * RATE, 'over', false)
  await vi.waitFor(() =>
    expect(recordings.current).toMatchObject([{ durationMs: 1_500 }, { durationMs: 500 }]),
  )
})

it('sound whose text is final leaves the disk during the session', async () => {
  const copy = openPage('ada').record()
  say(copy, 0, 3)
  await vi.waitFor(async () => expect((await stored()).pieces).toBe(30))
  copy.released(2.5 * RATE, 'final', true)
  await vi.waitFor(async () => expect((await stored()).pieces).toBeLessThanOrEqual(6))
})

describe('who gets a recording, and how long', () => {
  it('S67 a change of user deletes the key and the recordings', async () => {
    const page = await leave(2)
    const copy = page.record()
    say(copy, 0, 2)
    await vi.waitFor(async () => expect(await stored()).toEqual({ keys: 1, recordings: 2, pieces: 40 }))
    page.client.setUser('ben')
    await vi.waitFor(async () => expect(await stored()).toEqual({ keys: 0, ...NOTHING }))
    // What comes late is not written.
    say(copy, 2, 4)
    const recordings = page.recover()
    await vi.waitFor(async () => expect((await stored()).keys).toBe(1))
    expect(await stored()).toMatchObject(NOTHING)
    expect(recordings.current).toEqual([])
  })

  it('S67 the key is deleted first, in the turn of the sign-out', async () => {
    const page = await leave(2)
    await vi.waitFor(async () => expect((await stored()).pieces).toBe(20))
    const opened = vi.spyOn(IDBDatabase.prototype, 'transaction')
    page.client.setUser(null)
    expect(opened.mock.calls.map(([names]) => names)).toEqual([['keys'], ['recordings', 'pieces']])
  })

  it('S67 a sign-out deletes it on a page that shows nothing of it', async () => {
    const left = await leave(2)
    await vi.waitFor(async () => expect((await stored()).pieces).toBe(20))
    // As after a crash: nothing of the page before is left but what is stored.
    clients.splice(clients.indexOf(left.client), 1)
    const page = openPage('ada')
    page.client.setUser(null)
    await vi.waitFor(async () => expect(await stored()).toEqual({ keys: 0, ...NOTHING }))
  })

  it('a page whose browser never kept a recording opens no database at a sign-out', async () => {
    localStorage.clear()
    const opened = vi.spyOn(indexedDB, 'open')
    openPage('ada').client.setUser(null)
    await vi.dynamicImportSettled()
    expect(opened).not.toHaveBeenCalled()
  })

  it('S67 another user is offered nothing, and the next start deletes it', async () => {
    await leave(2)
    await vi.waitFor(async () => expect((await stored()).pieces).toBe(20))
    const recordings = openPage('ben').recover()
    await vi.waitFor(async () => expect(await stored()).toEqual({ keys: 1, ...NOTHING }))
    expect(recordings.current).toEqual([])
  })

  it('S67 another application of the same site keeps its own', async () => {
    await leave(2)
    await vi.waitFor(async () => expect((await stored()).pieces).toBe(20))
    const recordings = openPage('ben', { url: '/other' }).recover()
    await vi.waitFor(async () => expect((await stored()).keys).toBe(2))
    expect(await stored()).toMatchObject({ recordings: 1, pieces: 20 })
    expect(recordings.current).toEqual([])
  })

  it('S67 the next start deletes what a page still wrote after a sign-out in another tab', async () => {
    const copy = openPage('ada').record()
    say(copy, 0, 2)
    await vi.waitFor(async () => expect((await stored()).pieces).toBe(20))
    openPage('ada').client.setUser(null)
    await vi.waitFor(async () => expect(await stored()).toEqual({ keys: 0, ...NOTHING }))
    say(copy, 2, 3)
    await vi.waitFor(async () => expect(await stored()).toEqual({ keys: 0, recordings: 0, pieces: 10 }))
    openPage('ben').recover()
    await vi.waitFor(async () => expect(await stored()).toEqual({ keys: 1, ...NOTHING }))
  })

  it('S67 after 24 hours it is deleted', async () => {
    await leave(2)
    await vi.waitFor(async () => expect((await stored()).pieces).toBe(20))
    const early = openPage('ada', { laterMs: 23 * HOUR_MS }).recover()
    await vi.waitFor(() => expect(early.current).toHaveLength(1))
    const late = openPage('ada', { laterMs: 25 * HOUR_MS }).recover()
    await vi.waitFor(async () => expect(await stored()).toMatchObject(NOTHING))
    expect(late.current).toEqual([])
  })
})

describe('a page that cannot keep sound says so once, and goes on', () => {
  const unavailable = (events: readonly VoiceEvent[]): unknown[] =>
    events.flatMap((event) => (event.type === 'recovery.unavailable' ? [event.reason] : []))

  /** The reasons of a session of 4 s. */
  async function reasonsOf(page: ReturnType<typeof openPage>): Promise<unknown[]> {
    const copy = page.record()
    say(copy, 0, 2)
    await vi.waitFor(() => expect(unavailable(page.events)).toHaveLength(1))
    say(copy, 2, 4)
    copy.released(RATE, 'final', true)
    copy.released(4 * RATE, 'over', false)
    return unavailable(page.events)
  }

  it('without IndexedDB', async () => {
    vi.stubGlobal('indexedDB', undefined)
    expect(await reasonsOf(openPage('ada'))).toEqual(['storage'])
  })

  it('with a blocked IndexedDB, as in some private windows', async () => {
    vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(() => {
      throw new DOMException('The user denied it.', 'SecurityError')
    })
    expect(await reasonsOf(openPage('ada'))).toEqual(['storage'])
  })

  it('without encryption, as on plain http', async () => {
    vi.spyOn(crypto, 'subtle', 'get').mockReturnValue(undefined as unknown as SubtleCrypto)
    expect(await reasonsOf(openPage('ada'))).toEqual(['storage'])
  })

  it('with a full disk', async () => {
    const really = Reflect.get(IDBObjectStore.prototype, 'put')
    let rows = 0
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, row) {
      if (this.name === 'pieces' && (rows += 1) > 5) throw new DOMException('', 'QuotaExceededError')
      return really.call(this, row)
    })
    const page = openPage('ada')
    const copy = page.record()
    say(copy, 0, 0.5)
    await vi.waitFor(async () => expect((await stored()).pieces).toBe(5))
    say(copy, 0.5, 4)
    await vi.waitFor(() => expect(unavailable(page.events)).toEqual(['full']))
    copy.released(4 * RATE, 'over', false)
    // What was written before stays.
    const recordings = page.recover()
    await vi.waitFor(() => expect(recordings.current).toMatchObject([{ durationMs: 500 }]))
  })

  it('without a user, because the sound would be anyone’s', async () => {
    expect(await reasonsOf(openPage(undefined))).toEqual(['user'])
  })
})
