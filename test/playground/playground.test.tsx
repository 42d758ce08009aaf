import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { mount } from '../../examples/playground/src/mount.js'
import { Playground } from '../../examples/playground/src/Playground.js'

/*
 * The playground in jsdom: the hooks, the emulator in the page and the log, without a browser.
 * `test/site/walk.slow.test.ts` runs it in one.
 */

// jsdom has no media queries.
beforeEach(() => vi.stubGlobal('matchMedia', () => new EventTarget()))

async function openTab(name: string) {
  render(<Playground />)
  fireEvent.click(screen.getByRole('tab', { name }))
  const panel = within(screen.getByRole('tabpanel', { name }))
  const wire = within(screen.getByRole('region', { name: 'On the wire' }))
  const click = (button: string) => fireEvent.click(panel.getByRole('button', { name: button }))
  const lines = () => wire.getAllByRole('listitem').map((line) => line.textContent ?? '')
  return { panel, wire, click, lines, text: () => screen.getByRole('tabpanel').textContent ?? '' }
}

it('Token: one token, and a button for the next; no whole secret in the page', async () => {
  const { panel, click, lines, text } = await openTab('Token')
  await panel.findByText('success')
  click('Renew now')
  await waitFor(() =>
    expect(lines().filter((line) => line.includes('POST /api/voice/session-token'))).toHaveLength(2),
  )
  await waitFor(() => expect(lines().filter((line) => line.includes('200 in'))).toHaveLength(4))
  expect(text()).toMatch(/authorization: api-key \S{4}…/)
  expect(text()).not.toMatch(/st_[A-Za-z0-9]{10}|api-key [^\s…]{5}/)
})

it('Stream: opens, shows what comes for what is spoken, closes', async () => {
  const { panel, click, lines } = await openTab('Stream')
  click('Connect')
  await panel.findByText('open')
  click('Speak')
  await panel.findByText(/"type":"transcript"/)
  expect(lines().some((line) => /bytes\d+ messages/.test(line))).toBe(true)
  click('Disconnect')
  await panel.findByText('idle')
  await waitFor(() => expect(lines().some((line) => line.includes('closed with 1000'))).toBe(true))
})

it('a held Enter presses a button once, and not again and again', async () => {
  const element = document.body.appendChild(document.createElement('div'))
  let unmount = () => {}
  act(() => {
    unmount = mount(element)
  })
  const tab = within(element).getByRole('tab', { name: 'Stream' })
  expect(fireEvent.keyDown(tab, { key: 'Enter' })).toBe(true)
  // False: what the browser would do is prevented.
  expect(fireEvent.keyDown(tab, { key: 'Enter', repeat: true })).toBe(false)
  act(() => unmount())
  element.remove()
})

it('Captions: a sentence becomes a line, and the stream closes after it', async () => {
  const { panel, click, lines } = await openTab('Captions')
  click('Say a sentence without a microphone')
  await panel.findByText(/^Good morning everyone/)
  await waitFor(() => expect(lines().some((line) => line.includes('closed with 1000'))).toBe(true))
})

it('Speech: the words stand there before a press', async () => {
  const { panel, text } = await openTab('Speech')
  expect(panel.getByRole('button', { name: 'Read aloud' })).toBeDefined()
  expect(text()).toContain('Each word is marked while it is heard')
})

it('Meetings: pages, and a filter', async () => {
  const { panel, click } = await openTab('Meetings')
  await panel.findByText('20 of 60 meetings')
  click('Load more')
  await panel.findByText('40 of 60 meetings')
  fireEvent.change(panel.getByRole('combobox', { name: 'Whose' }), { target: { value: 'shared' } })
  await panel.findByText('15 of 15 meetings')
  fireEvent.change(panel.getByRole('searchbox'), { target: { value: 'nothing like it' } })
  expect(await panel.findByText('No meeting matches.')).toBeDefined()
})

it('Users: no data of the first user is left, also if another tab signs in', async () => {
  const { panel, click } = await openTab('Users')
  await panel.findAllByText(/^Ada's/)
  fireEvent.click(panel.getByRole('radio', { name: 'Ben' }))
  // The rows disappear in the same commit.
  expect(panel.queryAllByText(/^Ada's/)).toEqual([])
  await panel.findAllByText(/^Ben's/)
  fireEvent.click(panel.getByRole('radio', { name: 'Nobody' }))
  expect(panel.queryAllByText(/^Ben's/)).toEqual([])
  fireEvent.click(panel.getByRole('radio', { name: 'Ada' }))
  await panel.findAllByText(/^Ada's/)
  click('Ben signs in, in another tab')
  await act(async () => click('Refresh'))
  await panel.findByText(/Another tab has signed in as Ben/, { ignore: 'code, code *' })
  expect(panel.queryAllByText(/^Ada's/)).toEqual([])
  await panel.findAllByText(/^Ben's/)
})

const WITH_ERROR = [
  ['not signed in', /^success, UNAUTHENTICATED is final/],
  ['no licence', /^success, AUTH_NO_LICENSE is final/],
  ['service restarts', /^success, CACHE_UNAVAILABLE is tried again/],
  ['service unreachable', /^success, UPSTREAM_UNREACHABLE is tried again/],
] as const

it.each(WITH_ERROR)('Faults: the hooks show %s, and recover', async (fault, shown) => {
  const { panel } = await openTab('Faults')
  await panel.findByText('open')
  const [token] = panel.getAllByRole('definition')
  fireEvent.click(panel.getByRole('radio', { name: fault }))
  await waitFor(() => expect(token?.textContent).toMatch(shown))
  fireEvent.click(panel.getByRole('radio', { name: 'none' }))
  await waitFor(() => expect(token?.textContent).toBe('success'))
})

it.each(['WebSocket dropped', 'token expired'])('Faults: the stream reconnects after %s', async (fault) => {
  const { panel, lines } = await openTab('Faults')
  await panel.findByText('open')
  fireEvent.click(panel.getByRole('radio', { name: fault }))
  await panel.findByText(/^reconnecting/)
  await panel.findByText('open')
  expect(lines().filter((line) => line.includes('101, open'))).toHaveLength(2)
})

it('a button clears the log, and later lines are added', async () => {
  const { panel, wire, click } = await openTab('Token')
  await panel.findByText('success')
  fireEvent.click(wire.getByRole('button', { name: 'Clear' }))
  expect(wire.queryAllByRole('listitem')).toEqual([])
  click('Renew now')
  expect(await wire.findAllByText(/session-token/)).not.toEqual([])
})
