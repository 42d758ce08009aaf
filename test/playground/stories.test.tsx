import { cleanup, render, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, it } from 'vitest'
import * as dictation from '../../examples/playground/stories/Dictation.stories.js'
import * as meetings from '../../examples/playground/stories/Meetings.stories.js'

interface Story<Loaded> {
  readonly loaders?: readonly (() => Loaded)[]
  readonly beforeEach?: () => () => void
  readonly render: (args: object, context: { readonly loaded: Loaded }) => ReactNode
  readonly play?: (context: { readonly loaded: Loaded }) => Promise<void>
}

let leave = (): void => {}
afterEach(() => {
  cleanup()
  leave()
  leave = () => {}
})

/** Does the steps of Storybook: `beforeEach`, a render with the loaders' data, and then `play`. */
async function show<Loaded>({ loaders = [], beforeEach, render: draw, play }: Story<Loaded>): Promise<void> {
  const loaded = Object.assign({}, ...loaders.map((load) => load())) as Loaded
  if (beforeEach) leave = beforeEach()
  render(draw({}, { loaded }))
  await play?.({ loaded })
}

it.each<[Exclude<keyof typeof meetings, 'default'>, role: 'listitem' | 'alert', text: RegExp]>([
  ['Some', 'listitem', /^(Roadmap|Review)$/],
  ['SignedOut', 'alert', /sign/i],
  ['Refused', 'alert', /./],
  ['NotAllowed', 'alert', /./],
])('the story %s of meetings shows what its name says', async (name, role, text) => {
  await show(meetings[name])
  for (const found of await screen.findAllByRole(role)) expect(found.textContent).toMatch(text)
})

it('the story None of meetings shows an empty list', async () => {
  await show(meetings.None)
  expect((await screen.findByRole('list', { busy: false })).children).toHaveLength(0)
})

it('the story Refused of dictation shows the error', async () => {
  await show(dictation.Refused)
  expect((await screen.findByRole('alert')).textContent).toBe(
    'The voice service ended the connection with an error.',
  )
})

it('the story Hears of dictation shows a message of the service', async () => {
  await show(dictation.Hears)
  expect(await screen.findByText('Good morning')).toBeTruthy()
})
