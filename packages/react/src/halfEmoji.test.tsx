import { encodeText } from '@stagepass/contract'
import { waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { createVoiceClient } from './client/createVoiceClient.js'
import { meetingOptions } from './meetings/meetingOptions.js'
import { meetingsOptions } from './meetings/meetingsOptions.js'
import { useMeeting } from './meetings/useMeeting.js'
import { useMeetings } from './meetings/useMeetings.js'
import { setupVoice } from './testing/setupVoice.test.kit.js'
import { SessionToken } from './token/SessionToken.js'
import { tokenSource } from './token/tokensOf.js'
import { authorizedUrl } from './stream/wire/authorizedUrl.js'
import { toSrt, toVtt } from './transcript/formats.js'
import { createVirtualVoice } from './virtual/createVirtualVoice.test.kit.js'

/** Text that was cut in the middle of an emoji. */
const HALF = 'x\ud83d'

it('an id with half of an emoji is looked for, and not found', async () => {
  await using setup = await setupVoice()
  const { result } = setup.render(() => useMeeting(HALF))
  await waitFor(() => expect(result.current.status).toBe('error'))
  expect(result.current.error).toMatchObject({ name: 'VoiceError', code: 'NOT_FOUND' })
  expect(setup.asked).toEqual([`/meetings/${encodeText(HALF)}`])
})

it('filters with half of an emoji are sent', async () => {
  await using setup = await setupVoice()
  const { result } = setup.render(() => useMeetings({ search: HALF, tags: [HALF] }, { debounceMs: 0 }))
  await waitFor(() => expect(result.current.status).toBe('success'))
  expect(result.current.meetings).toEqual([])
})

it('a user with half of an emoji gets tokens, and options of queries', async () => {
  const voice = createVirtualVoice()
  voice.client.setUser(HALF)
  const pending = tokenSource(voice.client, 'stt').get()
  await voice.advance(100)
  await expect(pending).resolves.toMatchObject({ generation: 1 })
  const client = createVoiceClient({ url: 'http://localhost/voice', sessionId: HALF })
  client.setUser(HALF)
  expect(meetingOptions(client, HALF).queryKey).toBeDefined()
  expect(meetingsOptions(client, { search: HALF }).queryKey).toBeDefined()
})

it('a token with half of an emoji, and captions with one, become URLs', () => {
  expect(authorizedUrl('wss://voice.test/stt', new SessionToken(HALF))).toContain(encodeText(HALF))
  const segments = [{ text: HALF, speaker: HALF, final: true }]
  for (const text of [toVtt(segments), toSrt(segments)]) expect(encodeURIComponent(text)).toBeDefined()
})
