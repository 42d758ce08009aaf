import { describe, expect, it } from 'vitest'
import type { TokenEvent } from '../events.js'
import { sleepAware } from '../sleepAware.js'
import type { VirtualPlatformOptions } from '../virtualPlatform.js'
import { createVirtualPlatform } from '../virtualPlatform.js'
import { VoiceError } from '../VoiceError.js'
import { createTokenSource } from './createTokenSource.js'
import type { MintOptions } from './mintToken.js'
import { SessionToken } from './SessionToken.js'

const MINUTE = 60_000
const SECOND = 1_000

interface Attempt extends MintOptions {
  readonly at: number
}

/** A source on virtual time with a scripted mint: by default it grants five minutes at once. */
function setup({ lifeMs = 5 * MINUTE, ...options }: VirtualPlatformOptions & { lifeMs?: number } = {}) {
  const virtual = createVirtualPlatform(options)
  const platform = sleepAware(virtual)
  const attempts: Attempt[] = []
  const events: TokenEvent[] = []
  const script: ((attempt: Attempt) => VoiceError | Promise<VoiceError | undefined> | undefined)[] = []
  let always: ((attempt: Attempt) => VoiceError | undefined) | undefined
  let latencyMs = 0
  let serial = 0
  const source = createTokenSource({
    product: 'stt',
    platform,
    emit: (event) => events.push(event),
    async mint(_product, mintOptions) {
      const at = platform.now()
      const attempt = { ...mintOptions, at }
      attempts.push(attempt)
      if (latencyMs > 0) await new Promise<void>((resolve) => virtual.setTimeout(resolve, latencyMs))
      const error = (await script.shift()?.(attempt)) ?? always?.(attempt)
      if (error) throw error
      serial += 1
      return {
        token: new SessionToken(`secret-${serial}`),
        streamUrl: 'wss://stream.example/stt',
        expiresAt: new Date(virtual.wallNow() + lifeMs),
        deadline: at + lifeMs,
        from: 'server',
      }
    },
  })
  return {
    virtual,
    platform,
    source,
    attempts,
    events,
    script,
    /** Every attempt ends so, once the script is played. */
    answerAlways: (answer: typeof always) => (always = answer),
    takeMs: (ms: number) => (latencyMs = ms),
    value: () => source.current()?.token.value,
  }
}

const unavailable = (): VoiceError => new VoiceError('CACHE_UNAVAILABLE')

describe('one request for all', () => {
  it('asks once for any number of users of one moment', async () => {
    const { source, attempts, virtual } = setup()
    for (let i = 0; i < 10; i++) source.retain()
    const gets = Promise.all([source.get(), source.get()])
    await virtual.advance(0)
    const [first, second] = await gets
    expect(first).toBe(second)
    expect(attempts).toHaveLength(1)
  })
})
