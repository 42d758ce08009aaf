import { describe, expect, it } from 'vitest'
import { sourceOf } from '../../token/sourceOf.test.kit.js'
import { eventsOf } from '../joinStream.test.kit.js'
import { openSpeakingPage, WITH_TIMES } from './speakingPage.test.kit.js'

/** A page whose microphone is always open, with a second connection that is ready. */
async function rollingOver() {
  const page = await openSpeakingPage({ ...WITH_TIMES, rollover: 'seamless' })
  const { voice, say } = page
  await voice.advance(100)
  const said = await say(1_000)
  void sourceOf(voice.client, 'stt').renew()
  said.push(...(await say(1_000)))
  expect(voice.service.connections.map(({ status }) => status)).toEqual(['open', 'open'])
  return { ...page, said }
}

describe('a seamless rollover while sound is sent all the time', () => {
  it('waits until the last word is final and it is quiet, and sends no word twice', async () => {
    const { voice, say, quiet, words, said } = await rollingOver()
    await quiet(1_000)
    expect(words()[1]).toEqual([])
    voice.service.connections[0]?.send('2000.')
    await quiet(100)
    const later = await say(1_000)
    expect(words()).toEqual([said, later])
    expect(eventsOf(voice, 'stream.resent')).toEqual([])
    // Sound of the service, such as a translation, still comes.
    expect(voice.service.connections[0]?.status).toBe('open')
  })

  it('moves nothing by a text that the old connection sends after the switch', async () => {
    const { voice, stream, say, quiet, words } = await rollingOver()
    voice.service.connections[0]?.send('2000.')
    await quiet(400)
    const later = await say(1_000)
    const heard: unknown[] = []
    stream.subscribe((data) => heard.push(data))
    voice.service.connections[0]?.send('9000.')
    expect(heard).toEqual(['9000.'])
    expect(stream.stats().unfinalMs).toBe(1_000)
    voice.service.connections[1]?.drop()
    await voice.advance(2_000)
    expect(words()[2]).toEqual(later)
  })

  it('gives the next connection at the deadline what is not final, and reads the old one no longer', async () => {
    const { voice, stream, say, words, said } = await rollingOver()
    const heard: unknown[] = []
    stream.subscribe((data) => heard.push(data))
    said.push(...(await say(10_000)))
    expect(voice.service.connections.map(({ status }) => status)).toEqual(['closed', 'open'])
    voice.service.connections[0]?.send('2000.')
    said.push(...(await say(3_000)))
    expect(words()[1]).toEqual(said)
    expect(heard).toEqual([])
  })
})
