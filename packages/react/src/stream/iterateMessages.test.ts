import { clientOf } from '../client/createVoiceClient.js'
import { describe, expect, it } from 'vitest'
import type { createVirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { openStream } from './joinStream.test.kit.js'
import { createActions } from './useStream.js'

function handleOf(voice: ReturnType<typeof createVirtualVoice>) {
  return createActions<string, string>(clientOf(voice.client), 'stt', 'default').methods
}

describe('for await (const message of stream)', () => {
  it('yields every message in order, and ends when the stream is closed', async () => {
    const { voice } = openStream()
    const handle = handleOf(voice)
    const heard: string[] = []
    const reading = (async () => {
      for await (const message of handle) heard.push(message)
      return 'ended'
    })()
    await voice.advance(50)
    for (const message of ['a', 'b', 'c']) voice.service.connections[0]?.send(message)
    await voice.advance(0)
    expect(heard).toEqual(['a', 'b', 'c'])
    voice.service.connections[0]?.send('the last')
    handle.close()
    expect(await reading).toBe('ended')
    expect(heard.at(-1)).toBe('the last')
  })

  it('throws the error of a failed stream', async () => {
    const { voice } = openStream()
    voice.service.failToken('BALANCE_EXHAUSTED')
    const reading = handleOf(voice)
      .messages()
      .next()
      .catch((error: unknown) => error)
    await voice.advance(100)
    expect(await reading).toMatchObject({ code: 'BALANCE_EXHAUSTED' })
  })

  it('survives a reconnect, and ends when its signal aborts', async () => {
    const { voice } = openStream()
    const abort = new AbortController()
    const heard: string[] = []
    const reading = (async () => {
      for await (const message of handleOf(voice).messages({ signal: abort.signal })) heard.push(message)
    })()
    await voice.advance(50)
    voice.service.connections[0]?.send('before')
    voice.service.connections[0]?.drop()
    await voice.advance(1_000)
    voice.service.connections[1]?.send('after')
    await voice.advance(0)
    abort.abort()
    await reading
    expect(heard).toEqual(['before', 'after'])
  })
})
