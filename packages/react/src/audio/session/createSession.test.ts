import { afterEach, expect, it, vi } from 'vitest'
import { clientOf } from '../../client/createVoiceClient.js'
import { streamsOf } from '../../stream/streamsOf.js'
import { createVirtualVoice, type VirtualVoice } from '../../virtual/createVirtualVoice.test.kit.js'
import { createSession } from './createSession.js'
import type { SilenceOptions } from '../silence/SilenceOptions.js'
import type { SessionParts } from './SessionParts.js'
import { isWanted } from './state.js'

const FRAME_MS = 20

afterEach(() => {
  vi.restoreAllMocks()
})

/** A session of the user, and what it did to its microphone and its playback. */
function open(voice: VirtualVoice, session = createSession()) {
  const client = clientOf(voice.client)
  const stream = streamsOf(client).of('stt', 'default')
  const leave = stream.join({ enabled: true, settings: () => ({}) })
  const done: string[] = []
  const act = (what: string) => (): void => void done.push(what)
  /** As a render does. */
  function show(more: Partial<SessionParts> = {}): void {
    const { status } = stream.snapshot()
    session.setParts({
      client,
      product: 'stt',
      key: 'default',
      status: 'active',
      stream: {
        ...stream,
        status,
        close: () => {
          done.push('close')
          stream.close()
        },
        finish: ({ timeoutMs = 3_000 } = {}) => stream.finish(timeoutMs).then(() => {}),
      },
      microphone: {
        status: 'capturing',
        suspended: false,
        start: () => Promise.resolve(act('start microphone')()),
        stop: act('stop microphone'),
      },
      playback: { unlock: act('unlock'), interrupt: act('interrupt'), level: () => 0 },
      sampleRate: 16_000,
      microphoneOptions: undefined,
      soundOf: () => undefined,
      silence: undefined,
      ...more,
    })
  }
  show()
  return { session, show, leave, done, status: () => stream.snapshot().status }
}

type Opened = ReturnType<typeof open>

/** Starts sessions with the option `silence`. Returns a function that ends their wait for speech. */
async function startSilent(voice: VirtualVoice, opened: readonly Opened[], silence: SilenceOptions) {
  const ends = opened.map(({ session, show }) => {
    show({ silence })
    session.actions.start()
    return session.waitForSpeech(clientOf(voice.client), 'stt', 'default')
  })
  await vi.dynamicImportSettled()
  await voice.advance(100)
  return (): void => ends.forEach((end) => end())
}

/** So much sound of a level, as fast as it is heard. */
async function hear(voice: VirtualVoice, opened: readonly Opened[], ms: number, level = 0): Promise<void> {
  for (let heard = 0; heard < ms; heard += FRAME_MS) {
    for (const { session } of opened) session.hear(new Int16Array(320).fill(level).buffer)
    await voice.advance(FRAME_MS)
  }
}

/** The first sample of each frame that a connection got. */
const levelsOf = (voice: VirtualVoice, at = 0): number[] =>
  (voice.service.connections[at]?.received ?? []).map((data) => new Int16Array(data as ArrayBuffer)[0] ?? NaN)

const SILENCE: SilenceOptions = { closeAfterMs: 1_000, detect: (frame) => frame[0] !== 0 }

it('sends silence from the call of `pause` on, before any render', async () => {
  const voice = createVirtualVoice()
  const page = open(voice)
  const { actions } = page.session
  actions.start()
  await voice.advance(100)
  await hear(voice, [page], 40, 7)
  actions.pause()
  await hear(voice, [page], 40, 7)
  actions.resume()
  await hear(voice, [page], 40, 7)
  expect(levelsOf(voice)).toEqual([7, 7, 0, 0, 7, 7])
  expect(page.done).toEqual(['unlock', 'start microphone'])
})

it('stops the microphone, ends the sentence, and is off after the last texts', async () => {
  const voice = createVirtualVoice()
  const page = open(voice)
  const { session, done, status, show } = page
  session.actions.start()
  await voice.advance(100)
  show()
  session.actions.stop()
  expect(done).toEqual(['unlock', 'start microphone', 'stop microphone', 'interrupt'])
  expect(session.read().wish).toBe('stopping')
  await voice.advance(100)
  expect(levelsOf(voice)).toEqual(Array.from({ length: 50 }, () => 0))
  // Each of 20 ms, like those of a microphone.
  const lengths = voice.service.connections[0]?.received.map((data) => (data as ArrayBuffer).byteLength)
  expect(new Set(lengths)).toEqual(new Set([640]))
  await voice.advance(3_000)
  expect([session.read().wish, status()]).toEqual(['off', 'closed'])
})

it('closes the stream at once at the second `stop`', async () => {
  const voice = createVirtualVoice()
  const { session, done, status } = open(voice)
  session.actions.start()
  await voice.advance(100)
  session.actions.stop()
  session.actions.stop()
  expect([done.at(-1), status()]).toEqual(['close', 'closed'])
  await voice.advance(0)
  expect(session.read().wish).toBe('off')
})

it('a `stop` without a `start` ends what the page has opened itself, and nothing is shown of it', async () => {
  const voice = createVirtualVoice()
  const { session, done, status } = open(voice)
  session.actions.start()
  session.end()
  await voice.advance(100)
  expect(status()).toBe('open')
  session.actions.stop()
  expect(done.slice(-2)).toEqual(['stop microphone', 'interrupt'])
  expect(isWanted(session.read(), clientOf(voice.client))).toBe(false)
  await voice.advance(5_000)
  expect([session.read().wish, status()]).toEqual(['off', 'closed'])
})

it('goes on if it is started before the last texts, and an earlier `stop` does not end a later one', async () => {
  const voice = createVirtualVoice()
  const { session, status } = open(voice)
  const { start, stop } = session.actions
  start()
  await voice.advance(100)
  stop()
  start()
  stop()
  await voice.advance(0)
  expect([session.read().wish, status()]).toEqual(['stopping', 'open'])
  start()
  await voice.advance(5_000)
  expect([session.read().wish, status()]).toEqual(['on', 'open'])
})

it('S35 a frame that comes late from a user who has left is sent on no stream', async () => {
  const voice = createVirtualVoice()
  voice.client.setUser('ada')
  const ada = open(voice)
  const end = await startSilent(voice, [ada], { detect: () => true })
  await hear(voice, [ada], 20)
  voice.client.setUser('ben')
  ada.session.end()
  ada.leave()
  const ben = open(voice, ada.session)
  end()
  await voice.advance(100)
  await hear(voice, [ben], 20)
  await voice.advance(200)
  const [first, second] = voice.service.connections
  expect([first?.identity.user, second?.identity.user]).toEqual(['ada', 'ben'])
  expect([first?.received.length, second?.received.length]).toEqual([1, 0])
})

it('closes the stream in silence, although a session before had a wrong number', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const voice = createVirtualVoice()
  const first = open(voice)
  const endFirst = await startSilent(voice, [first], { closeAfterMs: 5 })
  expect(first.session.read().saved.unavailable).toBe('code')
  endFirst()
  first.leave()
  await voice.advance(1_000)
  const second = open(voice)
  await startSilent(voice, [second], SILENCE)
  await hear(voice, [second], 5_000)
  expect([second.status(), second.session.read().isWaiting]).toEqual(['closed', true])
})

it('sessions on one stream wait together, and speech in one of them opens it for both', async () => {
  const voice = createVirtualVoice()
  const pages = [open(voice), open(voice)] as const
  const [first, second] = pages
  const isWaiting = (): boolean[] => pages.map(({ session }) => session.read().isWaiting)
  await startSilent(voice, pages, SILENCE)
  await hear(voice, [first], 3_000)
  // The second one has heard nothing yet: its microphone may still start.
  expect(isWaiting()).toEqual([false, false])
  await hear(voice, pages, 4_000)
  expect(isWaiting()).toEqual([true, true])
  await hear(voice, [second], 200, 7)
  await voice.advance(500)
  expect(isWaiting()).toEqual([false, false])
  expect(pages.map(({ session }) => session.read().saved.opens)).toEqual([1, 1])
  const [one, other] = pages.map(({ session }) => session.read().saved.savedMs)
  expect(one).toBe(other)
  expect(voice.service.connections).toHaveLength(2)
})

it('opens the stream again if the option is removed, and passes all sound', async () => {
  const voice = createVirtualVoice()
  const page = open(voice)
  const end = await startSilent(voice, [page], SILENCE)
  await hear(voice, [page], 5_000)
  expect(page.status()).toBe('closed')
  page.show({ silence: undefined })
  end()
  await voice.advance(500)
  expect([page.status(), page.session.read().isWaiting]).toEqual(['open', false])
  await hear(voice, [page], 40, 7)
  expect(levelsOf(voice, 1).slice(-2)).toEqual([7, 7])
})

it('does not close the stream while the service still speaks', async () => {
  const voice = createVirtualVoice()
  const page = open(voice)
  await startSilent(voice, [page], SILENCE)
  const [connection] = voice.service.connections
  const soundOf = (message: unknown): unknown => message
  page.show({ silence: SILENCE, soundOf })
  for (let ms = 0; ms < 6_000; ms += 500) {
    connection?.send('sound')
    await hear(voice, [page], 500)
  }
  expect(page.status()).toBe('open')
  await hear(voice, [page], 3_000)
  expect(page.status()).toBe('closed')
})

it('S35 the actions of a user who has left start nothing', async () => {
  const voice = createVirtualVoice()
  voice.client.setUser('ada')
  const { session, done } = open(voice)
  voice.client.setUser('ben')
  session.actions.start()
  await voice.advance(100)
  expect([done, session.read().wish, voice.service.connections.length]).toEqual([[], 'off', 0])
})

it('sends nothing of a user who waits in the queue', async () => {
  const voice = createVirtualVoice()
  const page = open(voice)
  page.session.actions.start()
  await voice.advance(100)
  const queued = vi.fn()
  page.show({ stream: { status: 'queued', send: queued } as unknown as SessionParts['stream'] })
  await hear(voice, [page], 40, 7)
  expect(queued).not.toHaveBeenCalled()
  page.show()
  await hear(voice, [page], 20, 8)
  expect(levelsOf(voice)).toEqual([8])
})

it('the option that is removed before its code has come closes no stream', async () => {
  const voice = createVirtualVoice()
  const page = open(voice)
  page.show({ silence: SILENCE })
  page.session.actions.start()
  page.session.waitForSpeech(clientOf(voice.client), 'stt', 'default')()
  await vi.dynamicImportSettled()
  await hear(voice, [page], 5_000)
  expect([page.status(), page.session.read().saved.unavailable]).toEqual(['open', null])
})

it('the end of a session opens no stream for it, and the removed option opens none for one that is off', async () => {
  const voice = createVirtualVoice()
  const page = open(voice)
  const end = await startSilent(voice, [page], SILENCE)
  await hear(voice, [page], 5_000)
  expect(page.status()).toBe('closed')
  // The component leaves, with the option.
  end()
  await voice.advance(500)
  expect(page.status()).toBe('closed')
  const away = createVirtualVoice()
  const other = open(away)
  const endOther = await startSilent(away, [other], SILENCE)
  await hear(away, [other], 5_000)
  other.session.end()
  other.show({ silence: undefined })
  endOther()
  await away.advance(500)
  expect(other.status()).toBe('closed')
})

it('says why the stream stays open in silence, to the application and once in the console', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})
  const voice = createVirtualVoice()
  const pages = [open(voice), open(voice)]
  await startSilent(voice, pages, { closeAfterMs: 5 })
  const { silence, reports } = {
    silence: pages.map(({ session }) => session.read().saved),
    reports: voice.events.filter(({ type }) => type === 'silence.unavailable'),
  }
  expect(silence).toMatchObject([{ unavailable: 'code' }, { unavailable: 'code' }])
  expect(reports[0]).toEqual({
    type: 'silence.unavailable',
    reason: 'code',
    product: 'stt',
    key: 'default',
    at: expect.any(Number) as number,
  })
  expect(said.mock.calls).toEqual([
    [expect.stringMatching(/Failed to wait for speech, so the stream stays open in silence: RangeError: /)],
  ])
})

/** Speech without a text of the service, and the silence after it. */
async function alarm(voice: VirtualVoice, pages: readonly Opened[], text?: string): Promise<void> {
  await hear(voice, pages, 200, 7)
  if (text !== undefined) voice.service.connections.at(-1)?.send(text)
  await hear(voice, pages, 6_000)
}

it('too many openings without a text keep the stream open for a minute, and are reported once', async () => {
  const voice = createVirtualVoice()
  const pages = [open(voice), open(voice)] as const
  await startSilent(voice, pages, SILENCE)
  await hear(voice, pages, 5_000)
  const kept = () => voice.events.filter(({ type }) => type === 'silence.kept_open')
  for (let count = 0; count < 4; count += 1) {
    await alarm(voice, pages)
    expect([pages[0].status(), kept().length]).toEqual(['closed', 0])
  }
  await alarm(voice, pages)
  expect(kept()).toEqual([
    {
      type: 'silence.kept_open',
      falseAlarms: 5,
      forMs: 60_000,
      product: 'stt',
      key: 'default',
      at: expect.any(Number) as number,
    },
  ])
  expect(pages[0].status()).toBe('open')
  const connection = voice.service.connections.length - 1
  const before = levelsOf(voice, connection).length
  await hear(voice, pages, 1_000)
  expect(levelsOf(voice, connection).length - before).toBeGreaterThan(95)
  await hear(voice, pages, 65_000)
  expect(pages[0].status()).toBe('closed')
})

it('openings with a text are no false alarms', async () => {
  const voice = createVirtualVoice()
  const page = open(voice)
  await startSilent(voice, [page], SILENCE)
  await hear(voice, [page], 5_000)
  for (let count = 0; count < 7; count += 1) {
    await alarm(voice, [page], 'words')
    expect(page.status()).toBe('closed')
  }
  expect(page.session.read().saved.opens).toBe(7)
})

it('does not close a stream that another component needs, and closes it after that one has left', async () => {
  const voice = createVirtualVoice()
  const page = open(voice)
  const leave = streamsOf(clientOf(voice.client))
    .of('stt', 'default')
    .join({ enabled: true, settings: () => ({}) })
  await startSilent(voice, [page], SILENCE)
  await hear(voice, [page], 5_000)
  expect(page.status()).toBe('open')
  leave()
  await hear(voice, [page], 4_000)
  expect(page.status()).toBe('closed')
})

it('shows the saved time each second, also without a frame, and a later session begins at zero', async () => {
  const voice = createVirtualVoice()
  const first = open(voice)
  await startSilent(voice, [first], SILENCE)
  await hear(voice, [first], 5_000)
  const { savedMs } = first.session.read().saved
  await voice.advance(3_000)
  expect(first.session.read().saved.savedMs - savedMs).toBe(3_000)
  await hear(voice, [first], 200, 7)
  await hear(voice, [first], 6_000)
  const second = open(voice)
  await startSilent(voice, [second], SILENCE)
  expect(second.session.read().saved).toMatchObject({ opens: 0, unavailable: null })
  expect(second.session.read().saved.savedMs).toBeLessThan(1_000)
  expect(first.session.read().saved.opens).toBe(1)
})

it('while the detector fails all sound passes, and the stream is open', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const voice = createVirtualVoice()
  const page = open(voice)
  let isBroken = false
  const detect = (frame: Int16Array): boolean => {
    if (isBroken) throw new Error('no memory')
    return frame[0] !== 0
  }
  await startSilent(voice, [page], { ...SILENCE, detect })
  await hear(voice, [page], 5_000)
  expect(page.status()).toBe('closed')
  isBroken = true
  await hear(voice, [page], 5_000)
  await voice.advance(500)
  expect([page.status(), page.session.read().isWaiting]).toEqual(['open', false])
  expect(page.session.read().saved.unavailable).toBe('detector')
  expect(levelsOf(voice, 1).length).toBeGreaterThan(240)
})
