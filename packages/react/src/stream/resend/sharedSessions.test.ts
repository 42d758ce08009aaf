import { describe, expect, it, vi } from 'vitest'
import { eventsOf } from '../joinStream.test.kit.js'
import { setup } from '../lease/leasePage.test.kit.js'
import { speakInto, WITH_TIMES, wordsIn } from './speakingPage.test.kit.js'

/** A user speaks into a stream of a page whose BFF shares `max` sessions, of which `taken` are in use. */
async function openPage(max: number, taken: number) {
  const page = setup(max, taken, WITH_TIMES)
  await vi.dynamicImportSettled()
  await page.voice.advance(50)
  const { connections } = page.voice.service
  return {
    ...page,
    say: speakInto(page),
    words: () => connections.map(({ received }) => wordsIn(received)),
    isOpen: () => connections.map(({ status }) => status === 'open'),
  }
}

/** The service has answered once. It is silent from now on. */
async function answered(page: Awaited<ReturnType<typeof openPage>>): Promise<void> {
  await page.say(1_000)
  for (const text of ['500…', '1000.']) page.voice.service.connections[0]?.send(text)
  await page.say(300, false)
}

describe('a connection that does not answer, of an account that is shared', () => {
  it('stays alone if no session is free, and gives its session to the next one', async () => {
    const page = await openPage(4, 3)
    const { voice, sessions, stream, say, words, isOpen } = page
    await answered(page)
    const said = await say(9_800)
    expect(isOpen()).toEqual([true])
    expect(voice.service.handshakes).toHaveLength(1)
    expect(stream.snapshot().status).toBe('open')
    said.push(...(await say(1_000)))
    expect(isOpen()).toEqual([false, true])
    said.push(...(await say(3_000)))
    expect(words()[1]).toEqual(said)
    expect(sessions.leases).toContain('session-1')
    expect(eventsOf(voice, 'stream.queued')).toEqual([])
  })

  it('stays if a session seems free and the service refuses it', async () => {
    const page = await openPage(10, 0)
    const { voice, sessions, stream, say, words, isOpen } = page
    await answered(page)
    voice.service.maxSessions = 1
    const said = await say(8_000)
    expect(voice.service.handshakes).toHaveLength(2)
    expect(isOpen()).toEqual([true])
    expect(stream.snapshot()).toMatchObject({ status: 'open', failureReason: null })
    expect(words()[0]?.slice(50)).toEqual(said)
    expect(voice.service.checks).toBe(0)
    expect(sessions.leases).toEqual(['session-1'])
  })
})

describe('speech while the stream waits for a session', () => {
  it('is kept, and goes to the connection', async () => {
    const { voice, sessions, stream, paths, say, words } = await openPage(4, 4)
    expect(stream.snapshot().status).toBe('queued')
    const said = await say(20_000)
    expect(stream.stats()).toMatchObject({ behindMs: 20_000, dropped: 0 })
    // The place in the queue is asked for, and no token.
    expect(paths().filter((path) => path === '/session-token')).toHaveLength(1)
    sessions.take(-1)
    await voice.advance(10_000)
    expect(stream.snapshot().status).toBe('open')
    expect(words()).toEqual([said])
  })

  it('is dropped and counted if the stream leaves the queue', async () => {
    const { voice, sessions, stream, say } = await openPage(4, 4)
    await say(2_000)
    stream.close()
    expect(stream.stats()).toMatchObject({ behindMs: 0, unfinalMs: 0, dropped: 100 })
    await voice.advance(1_000)
    expect(sessions.queue).toEqual([])
    expect(eventsOf(voice, 'stream.dropped')).toMatchObject([{ reason: 'ended', count: 100 }])
  })
})
