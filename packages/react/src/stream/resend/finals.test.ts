import { describe, expect, it } from 'vitest'
import type { StreamSettings } from '../machine/settings.js'
import { openSpeakingPage, WITH_TIMES } from './speakingPage.test.kit.js'

/** `1000ms` is a transcript of words of 1,000 ms, `done.` the translation of the first one that waits. */
const WITH_DURATIONS: StreamSettings = {
  resend: {},
  setup: {
    isFinal: (data) => data === 'done.',
    finalDurationMs: (data) =>
      typeof data === 'string' && data.endsWith('ms') ? Number.parseInt(data, 10) : undefined,
  },
}

/** A page that has said two sentences with a pause after each. */
async function saidTwo(settings: StreamSettings) {
  const page = await openSpeakingPage(settings)
  const { voice, say, quiet, words, connection } = page
  await voice.advance(100)
  const first = await say(1_000)
  await quiet(700)
  const second = await say(400)
  await quiet(700)
  return {
    ...page,
    first,
    second,
    says: (text: string) => connection()?.send(text),
    /** What is not final: the words that the next connection gets. */
    unfinal: async () => {
      connection()?.drop()
      await voice.advance(2_000)
      return words().at(-1)
    },
  }
}

describe('a service that says how long the words of a text are', () => {
  it('has them final with their last text', async () => {
    const { says, unfinal, first, second } = await saidTwo(WITH_DURATIONS)
    says('1000ms')
    expect(await unfinal()).toEqual([...first, ...second])
    says('1000ms')
    says('done.')
    expect(await unfinal()).toEqual(second)
  })

  it('has them final after 5 s, if the last text does not come', async () => {
    const early = await saidTwo(WITH_DURATIONS)
    early.says('1000ms')
    await early.quiet(4_900)
    expect(await early.unfinal()).toEqual([...early.first, ...early.second])
    const late = await saidTwo(WITH_DURATIONS)
    late.says('1000ms')
    await late.quiet(5_200)
    expect(await late.unfinal()).toEqual(late.second)
  })

  it('says nothing with a last text before which no length came', async () => {
    const { says, unfinal, second } = await saidTwo(WITH_DURATIONS)
    says('1000ms')
    says('done.')
    says('done.')
    expect(await unfinal()).toEqual(second)
  })

  it('has said nothing on a new connection', async () => {
    const { says, unfinal, first, second } = await saidTwo(WITH_DURATIONS)
    says('1900ms')
    expect(await unfinal()).toEqual([...first, ...second])
    // Nothing is known of this connection: a final text counts for one utterance.
    says('done.')
    expect(await unfinal()).toEqual(second)
  })
})

it('a service that counts time says nothing with a final text without a time, on the same connection', async () => {
  const { says, unfinal, say, quiet, second } = await saidTwo(WITH_TIMES)
  const third = await say(400)
  await quiet(700)
  says('1000.')
  says('bye.')
  expect(await unfinal()).toEqual([...second, ...third])
  says('bye.')
  expect(await unfinal()).toEqual(third)
})
