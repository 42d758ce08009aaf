import { expect, it } from 'vitest'
import { changelogSection, sectionOf, withSection } from './changelog.js'

const first = changelogSection({
  version: '1.1.0',
  changes: [
    { summary: 'Two packages, one step each.\n', releases: [{ name: '@stagepass/bff', type: 'patch' }] },
    {
      summary: 'A hook.',
      releases: [
        { name: '@stagepass/react', type: 'minor' },
        { name: '@stagepass/contract', type: 'patch' },
      ],
    },
  ],
})
const second = changelogSection({
  version: '2.0.0',
  changes: [{ summary: 'Gone.', releases: [{ name: '@stagepass/bff', type: 'major' }] }],
})

it('a section has what breaks first, then what is new, then what is fixed, each with its packages', () => {
  expect(first).toBe(
    '## 1.1.0\n\n### New\n\n**react, contract**: A hook.\n\n### Fixed\n\n**bff**: Two packages, one step each.\n',
  )
  expect(second).toContain('### What breaks\n\n**bff**: Gone.')
})

it('the page has the newest section first, and each can be found again', () => {
  const page = withSection(withSection(undefined, first), second)
  expect(page.indexOf('## 2.0.0')).toBeLessThan(page.indexOf('## 1.1.0'))
  expect(page.match(/^# Changelog$/gm)).toHaveLength(1)
  expect(sectionOf(page, '1.1.0')).toBe(first)
  expect(sectionOf(page, '2.0.0')?.trim()).toBe(second.trim())
  expect(sectionOf(page, '1.1')).toBeUndefined()
})
