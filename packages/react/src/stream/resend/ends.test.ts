import { describe, expect, it } from 'vitest'
import { eventsOf } from '../joinStream.test.kit.js'
import { openSpeakingPage, WITH_TIMES, WITHOUT_TIMES } from './speakingPage.test.kit.js'

/** A page that has spoken and finishes. */
async function finished(settings = WITH_TIMES) {
  const page = await openSpeakingPage(settings)
  await page.voice.advance(100)
  const said = await page.say(1_000)
  await page.quiet(200)
  const startedAt = page.voice.now()
  let tookMs: number | undefined
  void page.stream.finish(3_000).then(() => (tookMs = page.voice.now() - startedAt))
  return { ...page, said, tookMs: () => tookMs }
}

describe('finish with kept speech', () => {
  it('waits for its text, longer than its timeout, at most 10 s', async () => {
    const { voice, connection, tookMs } = await finished()
    await voice.advance(8_000)
    expect(tookMs()).toBeUndefined()
    connection()?.send('1000.')
    await voice.advance(600)
    expect(tookMs()).toBeLessThanOrEqual(8_600)
    const other = await finished()
    await other.voice.advance(9_700)
    expect(other.tookMs()).toBeUndefined()
    await other.voice.advance(200)
    expect(other.tookMs()).toBeDefined()
  })

  it('waits shorter for a service that was fast before', async () => {
    const { voice, stream, say, quiet, connection } = await openSpeakingPage()
    await voice.advance(100)
    await say(1_000)
    await quiet(300)
    connection()?.send('1000.')
    // A cough, of which the service makes no text.
    await say(300)
    await quiet(300)
    let isOver = false
    void stream.finish(500).then(() => (isOver = true))
    await voice.advance(7_500)
    expect(isOver).toBe(false)
    await voice.advance(300)
    expect(isOver).toBe(true)
  })

  it('gives the speech to one other connection if the first is lost, and to no third', async () => {
    const { voice, connection, words, said, tookMs, stream } = await finished()
    await voice.advance(100)
    connection()?.drop()
    await voice.advance(2_000)
    expect(words()[1]).toEqual(said)
    expect(tookMs()).toBeUndefined()
    connection()?.send('1000.')
    await voice.advance(600)
    expect(stream.snapshot().status).toBe('closed')

    const other = await finished()
    for (let count = 0; count < 2; count += 1) {
      await other.voice.advance(2_000)
      other.connection()?.drop()
    }
    await other.voice.advance(200)
    expect(other.tookMs()).toBeLessThanOrEqual(4_200)
    await other.voice.advance(60_000)
    expect(other.words()).toHaveLength(2)
  })

  it('leaves nothing for the next start, if no text came', async () => {
    const { voice, stream, words } = await finished()
    await voice.advance(12_000)
    expect(stream.snapshot().status).toBe('closed')
    stream.open()
    await voice.advance(1_000)
    voice.service.connections[0]?.send('1000.')
    expect(words()).toHaveLength(2)
    expect(words()[1]).toEqual([])
    expect(stream.stats().received).toBe(0)
  })

  it('ends at once if the connection is lost after the last final text', async () => {
    const { voice, connection, tookMs, words } = await finished()
    connection()?.send('1000.')
    connection()?.drop()
    await voice.advance(100)
    expect(tookMs()).toBeDefined()
    expect(words()).toHaveLength(1)
  })

  it('waits at most 10 s for a connection', async () => {
    const { voice, connection, tookMs } = await finished()
    voice.service.unreachable = true
    connection()?.drop()
    await voice.advance(9_800)
    expect(tookMs()).toBeUndefined()
    await voice.advance(400)
    expect(tookMs()).toBeDefined()
    await voice.advance(60_000)
    expect(voice.timers).toBeLessThan(10)
  })

  it('waits no longer than for a late text if the service joins utterances and counts no time', async () => {
    const { voice, stream, say, quiet, connection } = await openSpeakingPage(WITHOUT_TIMES)
    await voice.advance(100)
    await say(1_000)
    await quiet(200)
    await say(1_000)
    await quiet(200)
    let isOver = false
    void stream.finish(3_000).then(() => (isOver = true))
    await voice.advance(500)
    connection()?.send('both.')
    await voice.advance(2_400)
    expect(isOver).toBe(false)
    await voice.advance(200)
    expect(isOver).toBe(true)
  })
})

describe('an outage during speech', () => {
  it('of ten minutes ends no stream, and is over at most five seconds after the network is back', async () => {
    const { voice, stream, say, quiet, words, connection } = await openSpeakingPage(
      { ...WITH_TIMES, resend: { keepMs: 700_000 } },
      { random: () => 0.99 },
    )
    await voice.advance(100)
    voice.service.unreachable = true
    connection()?.drop()
    const said: number[] = []
    for (let left = 600; left > 0; left -= 3) {
      said.push(...(await say(2_000)))
      await quiet(1_000)
    }
    expect(stream.snapshot().status).toBe('reconnecting')
    voice.service.unreachable = false
    said.push(...(await say(5_100)))
    expect(stream.snapshot().status).toBe('open')
    await voice.advance(180_000)
    expect(words()[1]).toEqual(said)
  })

  it('ends the stream as before if no speech is kept', async () => {
    const { voice, stream, connection } = await openSpeakingPage({
      ...WITH_TIMES,
      reconnect: { maxAttempts: 2 },
    })
    await voice.advance(100)
    voice.service.unreachable = true
    connection()?.drop()
    await voice.advance(60_000)
    expect(stream.snapshot().status).toBe('failed')
  })
})
describe('a stream that fails', () => {
  /** The service refuses two tokens in a row. */
  async function failed({ voice, connection }: Awaited<ReturnType<typeof openSpeakingPage>>): Promise<void> {
    voice.service.refuse('unauthorized', { by: 'close' })
    connection()?.close(1008, 'unauthorized')
    await voice.advance(1_000)
  }

  it('gives its speech to the connection of the next open', async () => {
    const page = await openSpeakingPage()
    const { voice, stream, say, words } = page
    await voice.advance(100)
    const said = await say(1_000)
    await failed(page)
    expect(stream.snapshot()).toMatchObject({ status: 'failed', error: { code: 'unauthorized' } })
    expect(stream.stats().unfinalMs).toBe(1_000)
    expect(eventsOf(voice, 'stream.dropped')).toEqual([])
    stream.open()
    said.push(...(await say(500)))
    await voice.advance(1_000)
    expect(words().at(-1)).toEqual(said)
  })

  it('counts it as dropped if it is closed instead', async () => {
    const page = await openSpeakingPage()
    const { voice, stream, say, words } = page
    await voice.advance(100)
    await say(1_000)
    await failed(page)
    stream.close()
    expect(stream.stats()).toMatchObject({ unfinalMs: 0, dropped: 50 })
    expect(eventsOf(voice, 'stream.dropped')).toMatchObject([{ reason: 'ended', count: 50 }])
    stream.open()
    await voice.advance(1_000)
    expect(words().at(-1)).toEqual([])
  })

  it('ends a finish at once, and counts its speech as dropped', async () => {
    const during = await finished()
    await failed(during)
    const after = await openSpeakingPage()
    await after.voice.advance(100)
    await after.say(1_000)
    await failed(after)
    void after.stream.finish(3_000)
    await after.voice.advance(100)
    expect(during.tookMs()).toBeLessThan(1_000)
    for (const { stream, voice } of [during, after]) {
      expect(stream.snapshot().status).toBe('closed')
      expect(eventsOf(voice, 'stream.dropped')).toMatchObject([{ reason: 'ended' }])
    }
  })
})
