import { expect, it } from 'vitest'
import { CREATE_COMMAND, withCreateCommand } from '../../docs/generate/createCommand.js'
import contract from '../../packages/contract/package.json' with { type: 'json' }
import { IS_PUBLISHED } from '../../scripts/packages.js'
import { readText } from './repositoryFiles.js'

const PAGES = Object.keys(CREATE_COMMAND) as (keyof typeof CREATE_COMMAND)[]
const firstCommand = (text: string): string => /^npm (?:run create|create) .*$/m.exec(text)?.[0] ?? ''

it.each(PAGES)('%s says how to get the packages: from a clone before the first release', (page) => {
  const [before, after] = [withCreateCommand(page, false), withCreateCommand(page, true)]
  expect(before).toMatch(/npm run create|scripts\/pack\.ts|existing-app\.md#1-install/)
  expect(before).toContain('the first release')
  expect(after).not.toContain('first release')
  expect(after).not.toContain('scripts/pack.ts')
  expect(readText(page), 'Run: npm run write -w @stagepass/docs').toBe(IS_PUBLISHED ? after : before)
})

it.each(['README.md', 'docs/index.md'] as const)('%s begins with the command that works', (page) => {
  expect(firstCommand(withCreateCommand(page, false))).toContain('npm run create -- ../my-app')
  expect(firstCommand(withCreateCommand(page, true))).toContain('npm create stagepass@latest')
})

it.each(['docs/start/express.md', 'docs/start/next.md'] as const)('%s names it too', (page) => {
  expect(withCreateCommand(page, false)).not.toContain('npm create stagepass@latest')
  expect(withCreateCommand(page, true)).toContain('npm create stagepass@latest')
})

it('a version above 0.1.0 is published', () => {
  expect(IS_PUBLISHED || contract.version === '0.1.0', 'Set IS_PUBLISHED in scripts/packages.ts.').toBe(true)
})

it('the README has at most 120 lines', () => {
  expect(readText('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(120)
})
