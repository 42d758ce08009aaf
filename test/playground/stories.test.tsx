import { readFileSync } from 'node:fs'
import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import * as stories from '../../examples/playground/stories/Meetings.stories.js'

type Name = Exclude<keyof typeof stories, 'default'>

/** As Storybook does: the loaders, then a render with what they have loaded. */
function show(name: Name): void {
  const { loaders, render: draw } = stories[name]
  render(draw({}, { loaded: Object.assign({}, ...loaders.map((load) => load())) as object }))
}

it.each<[Name, role: 'listitem' | 'alert', text: RegExp]>([
  ['Some', 'listitem', /^(Roadmap|Review)$/],
  ['SignedOut', 'alert', /sign/i],
  ['Refused', 'alert', /./],
])('the story %s shows what its name says', async (name, role, text) => {
  show(name)
  for (const found of await screen.findAllByRole(role)) expect(found.textContent).toMatch(text)
})

it('the story None shows an empty list', async () => {
  show('None')
  expect((await screen.findByRole('list', { busy: false })).children).toHaveLength(0)
})

it('the README shows this file', () => {
  const file = readFileSync('examples/playground/stories/Meetings.stories.tsx', 'utf8')
  expect(readFileSync('packages/emulator/README.md', 'utf8')).toContain(`\`\`\`tsx\n${file}\`\`\``)
})
