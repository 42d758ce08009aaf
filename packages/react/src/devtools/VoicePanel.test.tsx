import { act, fireEvent, render } from '@testing-library/react'
import { StrictMode } from 'react'
import { describe, expect, it } from 'vitest'
import { useStream } from '../stream/useStream.js'
import { createVirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { VoiceProvider } from '../client/VoiceProvider.js'
import { recordVoice } from './recordVoice.js'
import { VoicePanel } from './VoicePanel.js'

function Stream() {
  return <i>{useStream('stt').status}</i>
}

function open() {
  const voice = createVirtualVoice()
  const page = render(
    <StrictMode>
      <VoiceProvider client={voice.client}>
        <VoicePanel limit={5} />
        <Stream />
      </VoiceProvider>
    </StrictMode>,
  )
  fireEvent.click(page.getByRole('button', { name: 'Voice' }))
  return { voice, page }
}

describe('VoicePanel', () => {
  it('shows the state of the token and the stream', async () => {
    const { voice, page } = open()
    expect(page.getByText('Nothing has happened yet.')).toBeTruthy()
    await act(() => voice.advance(100))
    const values = () => page.getAllByRole('definition').map(({ textContent }) => textContent)
    expect(values()).toEqual(['live no. 1, for 10798 s', 'open no. 1, after 0.0 s'])
    await act(async () => voice.service.connections[0]?.drop())
    expect(values()[1]).toMatch(/^reconnecting CONNECTION_LOST \(close\), in/)
    voice.service.failToken('BALANCE_EXHAUSTED')
    act(() => voice.service.revokeTokens())
    await act(() => voice.advance(60_000))
    expect(values()[1]).toBe('failed BALANCE_EXHAUSTED')
  })

  it('keeps the last events, newest first, and forgets them on demand', async () => {
    const { voice, page } = open()
    await act(() => voice.advance(100))
    const log = page.getByRole('log', { name: 'Events, newest first' })
    expect(log.firstElementChild?.textContent).toContain('stream.opened')
    expect(log.children.length).toBeLessThanOrEqual(5)
    fireEvent.click(page.getByRole('button', { name: 'Clear events' }))
    expect(log.children).toHaveLength(0)
  })

  it('shows the last session on one line of time', async () => {
    const { voice, page } = open()
    await act(() => voice.advance(100))
    const picture = () => page.getByRole('img').getAttribute('aria-label')
    expect(picture()).toBe('Last session of stt · default: 1.00 s, 2 marks, 0 drops')
    expect(page.getByText(/^press at 0\.00 s; open at 0\.0\d s, open \d+ ms$/)).toBeTruthy()
    await act(() => voice.advance(4_000))
    await act(async () => voice.service.connections[0]?.drop())
    expect(picture()).toMatch(/^Last session of stt · default: 4\.\d\d s, 3 marks, 1 drops$/)
    expect(page.getByText(/open at .*; drop \(close\) at 4\.\d\d s$/)).toBeTruthy()
    act(() => voice.client.reset())
    expect(page.queryByRole('img')).toBeNull()
  })

  it('opens a tape, and says why a file is none', async () => {
    const { voice, page } = open()
    const recording = recordVoice(voice.client)
    await act(() => voice.advance(100))
    const tape = recording.stop()
    act(() => voice.client.reset())
    const input = page.getByLabelText('Open a tape')
    // The files of jsdom cannot be read.
    const choose = (text: string) =>
      act(async () => void fireEvent.change(input, { target: { files: [{ text: async () => text }] } }))
    await choose(tape)
    expect(await page.findByRole('img', { name: /^Last session of stt · default/ })).toBeTruthy()
    await choose('<html>')
    expect(await page.findByText(/^Failed to read the tape/)).toBeTruthy()
  })

  it('can be used with the keyboard', () => {
    const { page } = open()
    expect(page.getByRole('button', { name: 'Close' })).toBe(document.activeElement)
    fireEvent.keyDown(page.getByRole('button', { name: 'Close' }), { key: 'Escape' })
    const button = page.getByRole('button', { name: 'Voice' })
    expect(button.getAttribute('aria-expanded')).toBe('false')
    fireEvent.click(button)
    expect(page.getByRole('region', { name: 'Voice' })).toBeTruthy()
  })

  it('S31 shows no token', async () => {
    const { voice, page } = open()
    await act(() => voice.advance(100))
    expect(page.container.innerHTML).not.toContain('scripted-stt')
    expect(JSON.stringify(voice.events)).not.toContain('scripted-stt')
  })
})
