import { readdirSync } from 'node:fs'
import { createTestVoice } from '@stagepass/react/testing'
import { createVoiceClient, type VoiceClient, VoiceProvider } from '@stagepass/react'
import { startStack } from '@stagepass/testing'
import { cleanup, render, screen } from '@testing-library/react'
import type { FunctionComponent } from 'react'
import { afterEach, describe, expect, it } from 'vitest'
import { programsOf, ROOT, writePrograms } from '../docs/programs.js'

/* The programs after a move, as the pages of docs/from show them. */

const FOLDER = `${ROOT}.cache/from/`

afterEach(cleanup)

async function load<TModule>(page: string, name: string): Promise<TModule> {
  const program = programsOf(page).find(({ file }) => file.endsWith(`/${name}`))
  if (!program) throw new Error(`${page} has no ${name}.`)
  writePrograms(FOLDER, [program])
  return (await import(/* @vite-ignore */ FOLDER + program.file)) as TModule
}

const pages = readdirSync(`${ROOT}docs/from`)
  .toSorted()
  .map((name) => `docs/from/${name}`)
const withCaptions = pages.filter((page) =>
  programsOf(page).some(({ file }) => file.endsWith('/Captions.tsx')),
)

describe.each(withCaptions)('%s', (page) => {
  it('a press, a word, a caption, and nothing is open after the stop', async () => {
    const { Captions } = await load<{ Captions: FunctionComponent }>(page, 'Captions.tsx')
    using voice = createTestVoice()
    render(
      <VoiceProvider client={voice.client}>
        <Captions />
      </VoiceProvider>,
    )
    screen.getByRole('button', { name: 'Speak' }).click()
    await screen.findByRole('button', { name: 'Stop' })
    voice.microphone.speak(new Int16Array(32_000).fill(8_000))
    expect(await screen.findByText(/^Good/)).toBeTruthy()
    expect(screen.getByRole('alert').textContent).toBe('')
    screen.getByRole('button', { name: 'Stop' }).click()
    await expect.poll(() => voice.emulator.sockets.length).toBe(0)
    expect(voice.microphone.isOpen).toBe(false)
  })
})

it('is a page each for one own token route, react-use-websocket, and three vendors', () => {
  expect(pages).toEqual(
    ['deepgram', 'elevenlabs', 'own-token-route', 'soniox', 'use-websocket'].map(
      (name) => `docs/from/${name}.md`,
    ),
  )
  expect(withCaptions).toHaveLength(4)
})

it('a WebSocket of one own takes its address from the client', async () => {
  const { openSocket } = await load<{ openSocket: (voice: VoiceClient) => Promise<WebSocket> }>(
    'docs/from/own-token-route.md',
    'openSocket.ts',
  )
  const stack = await startStack()
  try {
    const socket = await openSocket(createVoiceClient({ url: stack.url }))
    await expect.poll(() => socket.readyState).toBe(WebSocket.OPEN)
    socket.close()
  } finally {
    await stack.close()
  }
})
