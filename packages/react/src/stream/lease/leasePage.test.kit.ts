import { expect } from 'vitest'
import type { VirtualVoiceOptions } from '../../virtual/createVirtualVoice.test.kit.js'
import { createVirtualVoice } from '../../virtual/createVirtualVoice.test.kit.js'
import { joinStream } from '../joinStream.test.kit.js'
import type { StreamSettings } from '../machine/settings.js'

/** A stream of a page whose BFF shares `max` sessions, of which `taken` are in use. */
export function setup(max = 4, taken = 0, settings: StreamSettings = {}, options: VirtualVoiceOptions = {}) {
  const voice = createVirtualVoice(options)
  const { sessions } = voice.service
  sessions.max = max
  sessions.take(taken)
  const paths = (): string[] =>
    voice.service.requests.map(({ path }) => path.replace(/session-\d+/, ':lease'))
  return { voice, sessions, paths, stream: joinStream(voice, settings) }
}

/** A virtual page that waits in the queue. */
export async function setupQueued(settings: StreamSettings = {}, options: VirtualVoiceOptions = {}) {
  const page = setup(4, 4, settings, options)
  await page.voice.advance(50)
  expect(page.stream.snapshot().status).toBe('queued')
  return page
}
