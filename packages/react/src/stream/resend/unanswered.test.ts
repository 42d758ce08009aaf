import { describe, expect, it } from 'vitest'
import { eventsOf } from '../joinStream.test.kit.js'
import { openSpeakingPage, WITH_TIMES } from './speakingPage.test.kit.js'

/** A page whose service has answered once. Its connections are silent from now on. */
async function answered(settings = WITH_TIMES) {
  const page = await openSpeakingPage(settings)
  const { voice, say, quiet, connection } = page
  await voice.advance(100)
  await say(1_000)
  connection()?.send('500…')
  connection()?.send('1000.')
  await quiet(300)
  return page
}

const open = ({ voice }: Awaited<ReturnType<typeof answered>>): boolean[] =>
  voice.service.connections.map(({ status }) => status === 'open')

describe('a connection that leaves speech without an answer', () => {
  it('is replaced by one beside it that answers, with all speech', async () => {
    const page = await answered()
    const { voice, stream, say, words, connection } = page
    const heard: unknown[] = []
    stream.subscribe((data, { generation }) => heard.push([data, generation]))
    const said = await say(5_000)
    expect(open(page)).toEqual([true])
    said.push(...(await say(1_000)))
    expect(open(page)).toEqual([true, true])
    expect(stream.snapshot().status).toBe('open')
    said.push(...(await say(2_000)))
    expect(words()[1]).toEqual(said)
    connection()?.send('300…')
    expect(open(page)).toEqual([false, true])
    voice.service.connections[0]?.send('too late')
    said.push(...(await say(1_000)))
    expect(words()[1]).toEqual(said)
    expect(heard).toEqual([['300…', 2]])
    expect(eventsOf(voice, 'stream.reconnecting')).toMatchObject([{ lostBy: 'unanswered', failures: 0 }])
    expect(eventsOf(voice, 'stream.opened')).toMatchObject([{ generation: 1 }, { generation: 2 }])
    expect(eventsOf(voice, 'stream.resent')).toHaveLength(1)
    expect(stream.snapshot()).toMatchObject({ status: 'open', failureReason: null })
  })

  it('stays if it answers first, and has twice the time after that', async () => {
    const page = await answered()
    const { voice, say, words } = page
    const said = await say(7_000)
    expect(open(page)).toEqual([true, true])
    voice.service.connections[0]?.send('6000…')
    expect(open(page)).toEqual([true, false])
    said.push(...(await say(9_000)))
    expect(voice.service.connections).toHaveLength(2)
    expect(words()[0]?.slice(50)).toEqual(said)
    expect(eventsOf(voice, 'stream.reconnecting')).toEqual([])
    expect(eventsOf(voice, 'stream.rollover_refused')).toEqual([])
  })

  it('stays if the one beside does not answer either, such as for music', async () => {
    const page = await answered()
    const { voice, say, words } = page
    const said = await say(12_000)
    expect(open(page)).toEqual([true, false])
    said.push(...(await say(28_000)))
    // Doubted after 5 s, 10 s later again, and 20 s after that.
    expect(voice.service.connections).toHaveLength(3)
    expect(words()[0]?.slice(50)).toEqual(said)
    expect(eventsOf(voice, 'stream.reconnecting')).toEqual([])
  })

  it('is replaced after twice the time if a second session is refused', async () => {
    const page = await answered()
    const { voice, say, words } = page
    voice.service.maxSessions = 1
    const said = await say(9_800)
    expect(open(page)).toEqual([true])
    said.push(...(await say(1_000)))
    expect(open(page)).toEqual([false, true])
    said.push(...(await say(3_000)))
    expect(words()[1]).toEqual(said)
    expect(eventsOf(voice, 'stream.reconnecting')).toMatchObject([{ lostBy: 'unanswered' }])
    expect(eventsOf(voice, 'stream.rollover_refused')).toEqual([])
  })

  it('is doubted like the first time after an answer, if a second session was refused', async () => {
    const page = await answered()
    const { voice, say, connection } = page
    voice.service.refuse('concurrency_limit_exceeded', { by: 'close' })
    await say(6_000)
    voice.service.connections[0]?.send('3000…')
    // The answer took 6 s, so the limit is 14 s, and twice that after a doubt.
    await say(27_000)
    expect(connection()?.status).toBe('closed')
    await say(2_000)
    expect(open(page)).toEqual([true, false, true])
  })

  it('is doubted once while the handshake of a second connection hangs', async () => {
    const page = await answered()
    page.voice.service.hang()
    // Doubted after 5 to 6 s, and the handshake is given up 10 s later.
    const said = await page.say(17_000)
    expect(open(page)).toEqual([false, true])
    said.push(...(await page.say(6_000)))
    expect(page.words()[1]).toEqual(said)
  })

  it('is replaced after twice the time if no token is left for a second session', async () => {
    const page = await answered()
    const { voice, say } = page
    voice.service.maxSessions = 1
    // The refusal has no reason, so it may be the token.
    await say(6_000)
    voice.service.connections[0]?.send('3000…')
    await say(29_000)
    expect(open(page)).toEqual([true])
    await say(27_000)
    expect(open(page)).toEqual([false, true])
  })

  it('is not doubted in silence, without texts, or before the first answer', async () => {
    const silent = await answered()
    await silent.quiet(60_000)
    const unknown = await openSpeakingPage()
    await unknown.say(60_000)
    const textless = await openSpeakingPage({ resend: {} })
    await textless.voice.advance(100)
    textless.connection()?.send('1000.')
    await textless.say(60_000)
    for (const { voice } of [silent, unknown, textless]) expect(voice.service.connections).toHaveLength(1)
  })

  it('is noticed after a single word if the stream finishes, or if no more frames come', async () => {
    for (const isFinishing of [true, false]) {
      const { voice, stream, say, words, connection } = await answered()
      const said = await say(400)
      if (isFinishing) void stream.finish(3_000)
      await voice.advance(5_500)
      expect(words()[1]).toEqual(said)
      connection()?.send('700.')
      await voice.advance(1_000)
      expect(voice.service.connections[0]?.status).toBe('closed')
      expect(stream.snapshot().status).toBe(isFinishing ? 'closed' : 'open')
    }
  })

  it('has all its time again after frames that were late, such as those of a hidden page', async () => {
    const page = await answered()
    const { voice, say } = page
    await say(2_000)
    await voice.advance(1_500)
    await say(4_000)
    expect(open(page)).toEqual([true])
    await say(2_000)
    expect(open(page)).toEqual([true, true])
  })

  it('is noticed at once at its limit if the stream finishes just before it', async () => {
    const page = await answered()
    await page.say(4_800)
    void page.stream.finish(3_000)
    await page.voice.advance(500)
    expect(open(page)).toEqual([true, true])
  })

  it('has all its time on a new connection', async () => {
    const page = await answered()
    await page.say(3_500)
    page.connection()?.drop()
    await page.say(4_000)
    expect(open(page)).toEqual([false, true])
    await page.say(4_000)
    expect(open(page)).toEqual([false, true, true])
  })

  it('has all its time again after a sleep, if no more frames come', async () => {
    const page = await answered()
    await page.say(400)
    await page.voice.sleep(30_000)
    await page.voice.advance(5_500)
    expect(open(page)).toEqual([true])
    await page.voice.advance(5_500)
    expect(open(page)).toEqual([true, true])
  })

  it('is doubted again after twice the time, though no more frames come', async () => {
    const page = await answered()
    await page.say(400)
    await page.voice.advance(5_500)
    expect(open(page)).toEqual([true, true])
    await page.voice.advance(6_000)
    expect(open(page)).toEqual([true, false])
    await page.voice.advance(11_000)
    expect(page.voice.service.connections).toHaveLength(3)
  })

  it('leaves nothing behind when the stream ends while a second one is tried', async () => {
    const { voice, stream, say } = await answered()
    await say(7_000)
    stream.close()
    await voice.advance(1_000)
    expect(voice.service.connections.map(({ status }) => status)).toEqual(['closed', 'closed'])
    stream.leave()
    await voice.advance(1_000)
    expect(voice.timers).toBe(0)
  })
})
