import { fail } from '@stagepass/emulator/browser'
import { createTestVoice } from '@stagepass/react/testing'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { App } from './App.js'

afterEach(cleanup)

it('shows captions, and asks to sign in again when the session ends', async () => {
  using voice = createTestVoice()
  render(<App user="ada" voice={voice.client} />)
  fireEvent.click(screen.getByText('Speak'))
  await expect.poll(() => voice.emulator.sockets.length).toBe(1)
  voice.emulator.sockets[0]?.send(JSON.stringify({ text: 'Good morning', final: true }))
  await screen.findByText('Good morning')
  voice.user = null
  voice.emulator.sockets[0]?.close(1008, 'unauthorized')
  await screen.findByText('Sign in again')
})

it('lists the meetings of a month, longest first, and opens one', async () => {
  using voice = createTestVoice({
    meetings: [
      { id: 'm1', title: 'Short', started_at: '2026-10-05T10:00:00Z', duration: 600 },
      { id: 'm2', title: 'Long', started_at: '2026-10-04T10:00:00Z', duration: 6_000 },
      { id: 'm3', title: 'November', started_at: '2026-11-05T10:00:00Z', duration: 9_000 },
    ],
  })
  render(<App user="ada" voice={voice.client} />)
  const titles = () => screen.queryAllByRole('listitem').map(({ textContent }) => textContent)
  await expect.poll(titles).toEqual(['Long', 'Short'])
  fireEvent.click(screen.getByText('Long'))
  await screen.findByRole('heading', { name: 'Long' })
})

it('says why a translation is refused', async () => {
  using voice = createTestVoice({ faults: [fail('VT_USAGE_LIMIT_EXCEEDED')] })
  render(<App user="ada" voice={voice.client} />)
  fireEvent.click(screen.getByText('Translate'))
  expect((await screen.findByRole('alert')).textContent).toContain('Voice Translation hours')
})
