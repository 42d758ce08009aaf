import { fakeMicrophones } from '@stagepass/testing/fakeMicrophones'
import { act, cleanup, fireEvent, render } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { MicrophoneControl } from '../../examples/demo/src/audio/MicrophoneControl.js'

afterEach(cleanup)

async function speak(devices: ReturnType<typeof fakeMicrophones>) {
  const page = render(<MicrophoneControl disabled={false} onFrame={() => {}} />)
  const pass = (ms: number): Promise<void> => act(() => devices.pass(ms))
  page.getByRole('button', { name: 'Microphone' }).click()
  await pass(100)
  const menu = page.getByRole('combobox', { name: 'Microphone' }) as HTMLSelectElement
  return {
    page,
    menu,
    pass,
    choose: async (value: string): Promise<void> => {
      menu.focus()
      fireEvent.change(menu, { target: { value } })
      await pass(100)
    },
    words: () => page.getByRole('status').textContent,
  }
}

it('keeps the menu and its focus while the microphone changes', async () => {
  using devices = fakeMicrophones('built-in', 'headset')
  const { page, menu, choose, words } = await speak(devices)
  expect(menu.value).toBe('built-in')
  await choose('headset')
  expect(page.getByRole('combobox', { name: 'Microphone' })).toBe(menu)
  expect(document.activeElement).toBe(menu)
  expect(menu.value).toBe('headset')
  expect(words()).toBe('')
})

it('shows which microphone replaces one that is busy or missing, and when there is none', async () => {
  using devices = fakeMicrophones('built-in', 'headset', 'desk')
  devices.occupy('headset')
  const { menu, pass, choose, words } = await speak(devices)
  await choose('headset')
  const replaced = 'headset cannot be used now. You are heard through Microphone built-in until it can.'
  expect(words()).toBe(replaced)
  devices.release('headset')
  await pass(2_100)
  expect(words()).toBe('')

  devices.unplug('headset')
  devices.tell()
  await pass(400)
  expect(words()).toBe(replaced)
  expect(menu.selectedOptions[0]!.label).toBe('headset (not connected)')
  devices.unplug('built-in')
  devices.unplug('desk')
  await pass(100)
  expect(words()).toBe('The microphone is gone. Looking for another one.')
})

it('has no menu if there is one microphone', async () => {
  using devices = fakeMicrophones('built-in')
  const page = render(<MicrophoneControl disabled={false} onFrame={() => {}} />)
  page.getByRole('button', { name: 'Microphone' }).click()
  await act(() => devices.pass(100))
  expect(page.getByRole('button', { name: 'Stop microphone' })).toBeTruthy()
  expect(page.queryByRole('combobox')).toBe(null)
})
