import { type ProductVitals, VITALS_LIMITS, type VitalsReport } from '@stagepass/contract'
import { VitalsReport as ReportSchema } from '@stagepass/contract/schemas'
import { describe, expect, it, vi } from 'vitest'
import { clientOf } from '../client/createVoiceClient.js'
import type { ReceivedData } from '../platform/socket.js'
import { joinStream, type JoinedStream } from '../stream/joinStream.test.kit.js'
import type { StreamSettings } from '../stream/machine/settings.js'
import {
  createVirtualVoice,
  type VirtualVoice,
  type VirtualVoiceOptions,
} from '../virtual/createVirtualVoice.test.kit.js'

const FRAME_MS = 20
const MINUTE = VITALS_LIMITS.everyMs

/** The codec of a service whose texts are `{ text, final }`. */
const isFinal = (data: ReceivedData): boolean | undefined => {
  if (typeof data !== 'string') return undefined
  const { text, final } = JSON.parse(data) as { text?: string; final?: boolean }
  return text === undefined ? undefined : final === true
}

interface Page {
  readonly voice: VirtualVoice
  readonly stream: JoinedStream
  /** The microphone gives frames of this level for so long. */
  speak(ms: number, level?: number): Promise<void>
  text(final?: boolean): void
}

async function open(settings: StreamSettings = {}, options: VirtualVoiceOptions = {}): Promise<Page> {
  const voice = createVirtualVoice({ vitals: {}, ...options })
  await vi.dynamicImportSettled()
  const stream = joinStream(voice, { setup: { isFinal }, ...settings })
  return {
    voice,
    stream,
    async speak(ms, level = 5_000) {
      for (let left = ms; left > 0; left -= FRAME_MS) {
        const frame = Int16Array.from({ length: 320 }, (_, index) => (index % 2 ? -level : level))
        stream.send(frame)
        await voice.advance(FRAME_MS)
      }
    },
    text: (final = false) => voice.service.connections.at(-1)?.send(JSON.stringify({ text: 'hello', final })),
  }
}

const QUIET = 10

const sentReports = ({ service }: VirtualVoice) => service.requests.filter(({ path }) => path === '/vitals')
const reportsOf = (voice: VirtualVoice) => sentReports(voice).map(({ json }) => json as VitalsReport)

/** The figures of the only report, which is sent now. */
async function figures({ voice }: Page): Promise<ProductVitals | undefined> {
  await voice.advance(MINUTE)
  const reports = reportsOf(voice)
  expect(reports).toHaveLength(1)
  expect(ReportSchema.safeParse(reports[0])).toMatchObject({ success: true })
  return reports[0]?.products.stt
}

describe('figures', () => {
  it('open: from the press to the open stream, failed attempts included', async () => {
    const voice = createVirtualVoice({ vitals: {}, handshakeMs: 40, responseMs: 60 })
    await vi.dynamicImportSettled()
    voice.service.unreachable = true
    joinStream(voice, { reconnect: { minDelayMs: 200, maxDelayMs: 200 } })
    await voice.advance(50)
    voice.service.unreachable = false
    await voice.advance(MINUTE * 2)
    const [opened] = voice.events.filter(({ type }) => type === 'stream.opened')
    const [report] = reportsOf(voice)
    expect(report?.products.stt?.open).toEqual([Math.round((opened as { tookMs: number }).tookMs)])
    expect(report?.products.stt?.open?.[0]).toBeGreaterThan(100)
  })

  it('openToText and firstText: from the open stream, and from the first loud frame, to the first text', async () => {
    const page = await open()
    await page.voice.advance(15)
    await page.speak(500, QUIET)
    await page.speak(400)
    page.text()
    await page.speak(200)
    page.text()
    expect(await figures(page)).toMatchObject({ openToText: [900], firstText: [400] })
  })

  it('finalText: from the last loud frame to the final text', async () => {
    const page = await open()
    await page.voice.advance(15)
    await page.speak(600)
    page.text()
    await page.speak(480, QUIET)
    page.text(true)
    // The last loud frame was sent 20 ms before the first quiet one.
    expect(await figures(page)).toMatchObject({ firstText: [600], finalText: [500] })
  })

  it('finalText: of a sentence whose final text comes while the next one is spoken', async () => {
    const page = await open()
    await page.voice.advance(15)
    await page.speak(600)
    await page.speak(400, QUIET)
    await page.speak(200)
    page.text(true)
    expect((await figures(page))?.finalText).toEqual([20 + 400 + 200])
  })

  it('finalText: also if the microphone stops with the speech, as in push to talk', async () => {
    const page = await open()
    await page.voice.advance(15)
    await page.speak(600)
    await page.voice.advance(700)
    page.text(true)
    expect((await figures(page))?.finalText).toEqual([720])
  })

  it('finalText: of a long sentence too, and of one in which other final texts came', async () => {
    const page = await open()
    await page.voice.advance(15)
    await page.speak(12_000)
    page.text()
    await page.speak(480, QUIET)
    page.text(true)
    await page.speak(2_000)
    page.text(true)
    await page.speak(2_000)
    await page.speak(380, QUIET)
    page.text(true)
    expect((await figures(page))?.finalText).toEqual([500, 400])
  })

  it('firstText: of each speech after a final text, but not while an answer is missing', async () => {
    const page = await open()
    await page.voice.advance(15)
    await page.speak(200)
    page.text()
    await page.speak(400, QUIET)
    // Its texts cannot be told from those of the speech before.
    await page.speak(200)
    page.text()
    page.text(true)
    await page.speak(400, QUIET)
    await page.speak(300)
    page.text()
    expect((await figures(page))?.firstText).toEqual([200, 300])
  })

  it('no click and no steady noise counts as speech', async () => {
    const page = await open()
    await page.voice.advance(15)
    await page.speak(400, QUIET)
    await page.speak(40)
    await page.speak(400, QUIET)
    page.text()
    const figure = await figures(page)
    expect([figure?.firstText, figure?.openToText]).toEqual([undefined, [840]])
  })

  it('after a pause of the user, whose frames are digital silence, a steady noise is no speech either', async () => {
    const page = await open()
    await page.voice.advance(15)
    await page.speak(1_000, 0)
    await page.speak(15_000, 300)
    await page.speak(400)
    page.text()
    expect((await figures(page))?.firstText).toEqual([400])
  })

  it('heard: from a final text to its first sound', async () => {
    const page = await open()
    await page.voice.advance(15)
    const { moments } = clientOf(page.voice.client)
    page.text(true)
    await page.voice.advance(150)
    moments.notify({ type: 'played', product: 'stt', key: 'default', inMs: 120 })
    moments.notify({ type: 'played', product: 'stt', key: 'default', inMs: 140 })
    expect((await figures(page))?.heard).toEqual([270])
  })

  it('drops: lost connections by reason; the next one is no press', async () => {
    const page = await open()
    await page.voice.advance(15)
    page.voice.service.connections[0]?.drop()
    await page.voice.advance(1_000)
    const figure = await figures(page)
    expect([figure?.drops, figure?.open]).toEqual([{ close: 1 }, [15]])
  })

  it('resent: the sound that a next connection got again', async () => {
    const page = await open({ resend: {} })
    await vi.dynamicImportSettled()
    await page.voice.advance(15)
    page.text(true)
    await page.speak(600)
    page.voice.service.connections[0]?.drop()
    await page.voice.advance(2_000)
    page.text(true)
    const [event] = page.voice.events.filter(({ type }) => type === 'stream.resent')
    const ms = (event as { ms?: number } | undefined)?.ms ?? 0
    expect(ms).toBeGreaterThanOrEqual(600)
    expect((await figures(page))?.resent).toEqual([Math.round(ms)])
  })

  it('queue: from the beginning of the wait for a session to its end', async () => {
    const voice = createVirtualVoice({ vitals: {} })
    await vi.dynamicImportSettled()
    const { sessions } = voice.service
    sessions.max = 4
    sessions.take(4)
    joinStream(voice)
    await voice.advance(5_000)
    sessions.take(-1)
    await voice.advance(MINUTE * 2)
    const at = (type: string): number => voice.events.find((event) => event.type === type)?.at ?? NaN
    const waitedMs = Math.round(at('stream.connecting') - at('stream.queued'))
    expect(waitedMs).toBeGreaterThan(4_900)
    expect(reportsOf(voice)[0]?.products.stt?.queue).toEqual([waitedMs])
  })

  it('finalText: not from a noise before', async () => {
    const page = await open()
    await page.voice.advance(15)
    await page.speak(200)
    await page.voice.advance(20_000)
    await page.speak(500)
    page.text(true)
    await page.speak(500)
    await page.speak(400, QUIET)
    page.text(true)
    expect((await figures(page))?.finalText).toEqual([420])
  })

  it('none of a time in which the machine slept', async () => {
    const page = await open()
    await page.voice.advance(15)
    await page.speak(400)
    await page.voice.sleep(60 * MINUTE)
    await page.voice.advance(1_000)
    page.text(true)
    await page.voice.advance(1_000)
    await page.speak(300)
    page.text()
    const figure = await figures(page)
    expect(figure).toMatchObject({ drops: { sleep: 1 }, firstText: [300] })
    expect([figure?.openToText, figure?.finalText]).toEqual([undefined, undefined])
  })

  it('none of a time in which the page was in the cache of the browser for Back', async () => {
    const page = await open()
    await page.voice.advance(15)
    await page.speak(400)
    page.voice.suspend('pagehide')
    page.voice.setVisible(false)
    await page.voice.sleep(10 * MINUTE)
    page.voice.setVisible(true)
    page.voice.wake('pageshow')
    await page.voice.advance(1_000)
    page.text(true)
    await page.voice.advance(MINUTE)
    const all = reportsOf(page.voice).flatMap(({ products }) => Object.values(products))
    expect(all).toEqual([{ open: [15] }, { drops: { away: 1 } }])
  })

  it('an error of the codec stops neither the stream nor the other figures', async () => {
    const page = await open({
      setup: {
        isFinal: () => {
          throw new Error('mine')
        },
      },
    })
    await page.voice.advance(15)
    page.text()
    expect((await figures(page))?.open).toEqual([15])
    expect(page.stream.snapshot().status).toBe('open')
  })
})

describe('reports', () => {
  it('are sent a minute after a value at the earliest, and none without a value', async () => {
    const page = await open()
    await page.voice.advance(15)
    await page.voice.advance(MINUTE - 1)
    expect(sentReports(page.voice)).toHaveLength(0)
    await page.voice.advance(1)
    expect(sentReports(page.voice)).toHaveLength(1)
    await page.voice.advance(10 * MINUTE)
    expect(sentReports(page.voice)).toHaveLength(1)
    page.voice.service.connections[0]?.drop()
    await page.voice.advance(2 * MINUTE)
    expect(sentReports(page.voice)).toHaveLength(2)
  })

  it('when the page goes, the last one survives it', async () => {
    const page = await open()
    await page.voice.advance(15)
    page.voice.suspend('pagehide')
    await page.voice.advance(10)
    expect(sentReports(page.voice)).toMatchObject([{ keepalive: true }])
  })

  it('of a page that goes have no drop of it, however its events come', async () => {
    const page = await open()
    await page.voice.advance(15)
    page.voice.suspend('pagehide')
    page.voice.setVisible(false)
    await page.voice.advance(10)
    expect(reportsOf(page.voice).map(({ products }) => products)).toEqual([{ stt: { open: [15] } }])
  })

  it('are sent when the page is hidden, because a phone may end it then', async () => {
    const page = await open()
    await page.voice.advance(15)
    page.voice.setVisible(false)
    await page.voice.advance(10)
    expect(sentReports(page.voice)).toMatchObject([{ keepalive: true }])
    page.voice.setVisible(true)
    page.voice.setVisible(false)
    await page.voice.advance(2 * MINUTE)
    expect(sentReports(page.voice)).toHaveLength(1)
  })

  it('belong to the user who was there', async () => {
    const { voice } = await open()
    for (const next of ['ada', 'bob', null]) {
      voice.client.setUser(next)
      if (next !== null) joinStream(voice, { setup: { isFinal } })
      await voice.advance(50)
    }
    expect(sentReports(voice).map(({ identity }) => identity.user)).toEqual(['ada', 'bob'])
  })

  it('of a BFF that takes none: nothing more is measured', async () => {
    const page = await open()
    page.voice.service.takesVitals = false
    await page.voice.advance(15 + MINUTE)
    page.voice.service.connections[0]?.drop()
    await page.voice.advance(10 * MINUTE)
    expect(sentReports(page.voice)).toHaveLength(1)
    expect(clientOf(page.voice.client).moments.isEmpty()).toBe(true)
  })

  it('are at most 1 KB, however much happened', async () => {
    const voice = createVirtualVoice({ vitals: {} })
    await vi.dynamicImportSettled()
    const { moments } = clientOf(voice.client)
    for (let times = 0; times < 50; times += 1)
      for (const product of ['stt', 'tts', 'viva', 'vt'] as const) {
        moments.notify({ type: 'sent', product, key: 'default', data: 'a text to be spoken' })
        moments.notify({ type: 'played', product, key: 'default', inMs: 29_999 })
        moments.notify({ type: 'standstill', product, key: 'default', ms: 3_599_999 })
      }
    await voice.advance(MINUTE)
    const [report] = reportsOf(voice)
    expect(JSON.stringify(report).length).toBeLessThanOrEqual(VITALS_LIMITS.bytes)
    expect(report?.products.vt?.heard?.length).toBeGreaterThan(2)
  })
})

describe('the option', () => {
  it.each([undefined, { sample: 0 }])('%j measures and sends nothing', async (vitals) => {
    const page = await open({}, { vitals })
    await page.voice.advance(15 + 10 * MINUTE)
    expect(sentReports(page.voice)).toEqual([])
    expect(clientOf(page.voice.client).moments.isEmpty()).toBe(true)
  })

  it('sample measures a part of the pages', async () => {
    let measured = 0
    for (let nth = 0; nth < 10; nth += 1) {
      const voice = createVirtualVoice({ vitals: { sample: 0.3 }, random: () => nth / 10 })
      await vi.dynamicImportSettled()
      if (!clientOf(voice.client).moments.isEmpty()) measured += 1
    }
    expect(measured).toBe(3)
  })
})
