import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createVirtualVoice } from '../../virtual/createVirtualVoice.test.kit.js'
import { joinStream } from '../joinStream.test.kit.js'

/** Text in the detailed form of a server's messages. */
const frames = fc.oneof(
  fc.string(),
  fc.json(),
  fc.json().map((value) => `{"type":"error","code":${value}}`),
  fc.json().map((value) => `{"error":${value},"reason":${value}}`),
  fc.string({ unit: 'binary' }).map((text) => `{"code":"${text}"}`),
)

describe('S34 frames of any kind', () => {
  it('reach the listener unchanged, and leave the stream open or in another valid state', async () => {
    const anyData = fc.oneof(
      frames,
      fc.uint8Array().map((bytes) => Uint8Array.from(bytes).buffer),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(anyData, { maxLength: 20 }), async (messages) => {
        const voice = createVirtualVoice()
        const stream = joinStream(voice)
        const heard: unknown[] = []
        stream.subscribe((data) => heard.push(data))
        await voice.advance(50)
        const [connection] = voice.service.connections
        for (const message of messages) connection?.send(message)
        const { status } = stream.snapshot()
        // A message may have ended the connection. Until then every message arrived.
        expect(heard).toEqual(messages.slice(0, heard.length))
        expect(connection?.status === 'closed' ? ['reconnecting', 'failed'] : ['open']).toContain(status)
        expect(heard.length === messages.length || connection?.status === 'closed').toBe(true)
        stream.leave()
        await voice.advance(1_000)
        expect(voice.timers).toBe(0)
      }),
      { numRuns: 500, seed: 7 },
    )
  })
})
