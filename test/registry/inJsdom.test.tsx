// @vitest-environment jsdom
import { VoiceProvider } from '@stagepass/react'
import { useVoiceSession } from '@stagepass/react/audio'
import { createTestVoice } from '@stagepass/react/testing'
import { DeviceSelect } from '@stagepass/registry/device-select'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'

afterEach(cleanup)

function Devices() {
  return <DeviceSelect session={useVoiceSession('stt')} deviceId={undefined} onDevice={() => {}} />
}

it('shows the devices in jsdom, which has no media queries', async () => {
  using voice = createTestVoice()
  render(
    <VoiceProvider client={voice.client}>
      <Devices />
    </VoiceProvider>,
  )
  expect(screen.getByRole('meter', { name: 'Level of the microphone' })).toBeDefined()
})
