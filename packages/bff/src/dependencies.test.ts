import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

interface Package {
  readonly dependencies: Record<string, string>
  readonly scripts?: Record<string, string>
}

it('S30 runtime dependencies are few, and each has its reason in docs/decisions', () => {
  const { dependencies } = JSON.parse(read('packages/bff/package.json')) as Package
  expect(Object.keys(dependencies)).toEqual([
    '@stagepass/budget',
    '@stagepass/contract',
    'jose',
    'lossless-json',
    'lru-cache',
    'undici',
    'zod',
  ])
  const reasons = read('docs/decisions/runtime-dependencies-bff.md')
  for (const name of Object.keys(dependencies)) expect(reasons).toContain(`\`${name}\``)
})

it('S30 no install scripts: neither ours nor those of what is installed with us', () => {
  const names = [
    'packages/bff',
    'packages/budget',
    'packages/contract',
    'node_modules/jose',
    'node_modules/lossless-json',
    'node_modules/lru-cache',
    'node_modules/undici',
    'node_modules/zod',
  ]
  for (const name of names) {
    expect(existsSync(new URL(`../../../${name}`, import.meta.url))).toBe(true)
    const { scripts = {} } = JSON.parse(read(`${name}/package.json`)) as Package
    for (const hook of ['preinstall', 'install', 'postinstall']) expect(scripts).not.toHaveProperty(hook)
  }
})
