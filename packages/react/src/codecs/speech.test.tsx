import { waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { useStream } from '../stream/useStream.js'
import { setupVoice } from '../testing/setupVoice.test.kit.js'
import { speech, type SpeechMessage } from './speech.js'

it("speaks the emulator's messages: words, each before its sound", async () => {
  await using setup = await setupVoice()
  const heard: SpeechMessage[] = []
  const { result } = setup.render(() =>
    useStream('tts', { codec: speech(), onMessage: (message) => heard.push(message) }),
  )
  result.current.send({ text: 'Good morning, Ada.', voice: 'male' })
  await waitFor(() => expect(heard.at(-1)).toEqual({ type: 'end', id: 't1' }))
  expect(heard[0]).toEqual({ type: 'start', id: 't1', text: 'Good morning, Ada.' })
  const kinds = heard.slice(1, -1).map((message) => (message.type === 'word' ? message.word : message.type))
  expect(kinds.filter((kind, at) => kind !== kinds[at - 1])).toEqual([
    'Good',
    'audio',
    'morning,',
    'audio',
    'Ada.',
    'audio',
  ])
  result.current.send({ text: '' })
  await waitFor(() =>
    expect(heard.at(-1)).toEqual({ type: 'error', message: expect.stringMatching(/must not be empty/) }),
  )
})

it('ignores unknown messages', () => {
  const { decode } = speech()
  for (const data of ['{', 'null', '7', '[]', '{}', '{"type":"level"}']) expect(decode(data)).toEqual([])
  expect(decode('{"type":"mark","id":7}')).toEqual([{ type: 'word', id: '', word: '' }])
})
