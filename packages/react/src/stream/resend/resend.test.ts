import { describe, expect, it, vi } from 'vitest'
import { eventsOf, openStream } from '../joinStream.test.kit.js'
import { openSpeakingPage, speakInto, WITH_TIMES, WITHOUT_TIMES, wordsIn } from './speakingPage.test.kit.js'

describe('resend', () => {
  it('gives the next connection what is not final, then the rest, in order', async () => {
    const { voice, stream, say, quiet, words, connection } = await openSpeakingPage()
    await voice.advance(100)
    const first = await say(1_000)
    await quiet(300)
    const second = await say(500)
    connection()?.send('1000.')
    expect(stream.stats()).toMatchObject({ unfinalMs: 500, behindMs: 0 })
    connection()?.drop()
    const third = await say(2_000)
    expect(stream.snapshot().status).toBe('open')
    await voice.advance(2_000)
    expect(words()).toEqual([
      [...first, ...second],
      [...second, ...third],
    ])
    expect(eventsOf(voice, 'stream.resent')).toMatchObject([{ ms: 500 }])
    expect(eventsOf(voice, 'stream.dropped')).toEqual([])
  })

  it('keeps sound longer than a queue does, up to keepMs, and counts what it drops', async () => {
    const { voice, stream, say, words, connection } = await openSpeakingPage({
      ...WITH_TIMES,
      resend: { keepMs: 20_000 },
    })
    await voice.advance(100)
    voice.service.unreachable = true
    connection()?.drop()
    const said = await say(25_000)
    expect(stream.stats()).toMatchObject({ behindMs: 20_000, queued: 1_000 })
    voice.service.unreachable = false
    voice.wake('online')
    await voice.advance(10_000)
    expect(words()[1]).toEqual(said.slice(250))
    expect(eventsOf(voice, 'stream.dropped').map(({ reason }) => reason)).toContain('unheard')
    expect(stream.stats().dropped).toBe(250)
  })

  it('sends after an outage at most pace times as fast as it was said', async () => {
    const { voice, say, words, connection, stream } = await openSpeakingPage({
      ...WITH_TIMES,
      resend: { pace: 2 },
    })
    await voice.advance(100)
    voice.service.unreachable = true
    connection()?.drop()
    await say(20_000)
    voice.service.unreachable = false
    stream.open()
    while (words().length < 2) await voice.advance(1)
    await voice.advance(5_000)
    // A second at once, then two a second.
    expect(words()[1]?.length).toBeLessThanOrEqual(11_000 / 20 + 2)
    expect(words()[1]?.length).toBeGreaterThan(10_500 / 20)
  })

  it('notices a buffer that does not drain while frames come faster than its timer', async () => {
    const { voice, stream, connection } = await openSpeakingPage()
    await voice.advance(100)
    connection()?.stall()
    for (let ms = 0; ms < 8_000; ms += 10) {
      await voice.advance(10)
      stream.send(new Int16Array(160).fill(4_000))
    }
    expect(eventsOf(voice, 'stream.reconnecting')).toMatchObject([{ lostBy: 'stall' }])
    await voice.advance(1_000)
    const bytes = connection()?.received.reduce((sum, data) => sum + (data as Uint8Array).byteLength, 0)
    expect(bytes).toBe(8_000 * 32)
    expect(eventsOf(voice, 'stream.dropped')).toEqual([])
  })

  it('sends text in its order among the sound, and never again', async () => {
    const { voice, stream, say, words, connection } = await openSpeakingPage()
    const first = await say(500)
    stream.send('marker')
    const second = await say(500)
    await voice.advance(200)
    connection()?.drop()
    await voice.advance(2_000)
    expect(words()).toEqual([
      [...first, 'marker', ...second],
      [...first, ...second],
    ])
  })

  it('without times keeps the last utterance of each final text, and no old one', async () => {
    const { voice, say, quiet, words, connection } = await openSpeakingPage(WITHOUT_TIMES)
    await voice.advance(100)
    await say(1_000)
    await quiet(300)
    const second = await say(400)
    await quiet(300)
    connection()?.send('one.')
    connection()?.drop()
    await voice.advance(2_000)
    expect(words()[1]).toEqual(second)
  })

  it('reads nothing of a connection that is lost, and moves by no text of another one', async () => {
    const { voice, stream, say, words, connection } = await openSpeakingPage()
    await voice.advance(100)
    const said = await say(1_000)
    const [old] = voice.service.connections
    voice.wake('visible')
    old?.drop()
    await voice.advance(1_000)
    old?.send('1000.')
    expect(stream.stats().unfinalMs).toBe(1_000)
    connection()?.send('1000.')
    expect(stream.stats().unfinalMs).toBe(0)
    expect(words()[1]).toEqual(said)
  })

  it('tells when words were said, also before their connection was opened', async () => {
    const { voice, stream, say, connection } = await openSpeakingPage()
    const said: (number | undefined)[] = []
    stream.subscribe((_data, { saidAt }) => said.push(saidAt?.(1_000)))
    await voice.advance(100)
    const beganAt = voice.now()
    await say(2_000)
    connection()?.send('500…')
    voice.service.unreachable = true
    connection()?.drop()
    await say(5_000)
    voice.service.unreachable = false
    stream.open()
    await voice.advance(3_000)
    connection()?.send('500…')
    expect(said).toEqual([beganAt + 1_000, beganAt + 1_000])
  })

  it('tells when words were said before the first connection was open, also if it took some tries', async () => {
    const page = openStream(WITH_TIMES)
    const { voice, stream } = page
    voice.service.refuse(503, { times: 3 })
    await vi.dynamicImportSettled()
    const said: (number | undefined)[] = []
    stream.subscribe((_data, { saidAt }) => said.push(saidAt?.(0), saidAt?.(1_000)))
    const beganAt = voice.now()
    const words = await speakInto(page)(8_000)
    await voice.advance(5_000)
    const [connection] = voice.service.connections
    expect(wordsIn(connection?.received ?? [])).toEqual(words)
    connection?.send('500…')
    expect(said).toEqual([beganAt, beganAt + 1_000])
  })

  it('S67 drops the sound of a user who leaves, and sends none of it for the next one', async () => {
    const { voice, say, stream, connection } = await openSpeakingPage()
    await voice.advance(100)
    voice.service.unreachable = true
    connection()?.drop()
    await say(5_000)
    voice.service.unreachable = false
    voice.client.reset()
    expect(stream.stats()).toMatchObject({ unfinalMs: 0, behindMs: 0 })
    expect(stream.send(new ArrayBuffer(640))).toBe('dropped')
    await voice.advance(5_000)
    expect(voice.service.connections).toHaveLength(1)
    expect(voice.timers).toBe(0)
  })

  it('is not there without the option', async () => {
    const { voice, stream, say, words, connection } = await openSpeakingPage({ ...WITH_TIMES, resend: false })
    await voice.advance(100)
    await say(1_000)
    connection()?.drop()
    await voice.advance(2_000)
    expect(words()[1]).toEqual([])
    expect(stream.stats()).toMatchObject({ unfinalMs: 0, behindMs: 0 })
  })
})
