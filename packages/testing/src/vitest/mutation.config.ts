import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { inDocument, inNode, sources } from './projects.js'

/*
 * The tests that Stryker runs (scripts/mutation.mjs). Tests in Node where that is possible, because a page
 * takes a second for each change. Stryker copies the repository and links node_modules.
 */

const COPY = process.cwd()
const ORIGINAL = COPY.replace(/\/\.cache\/stryker\/.*/, '')

/**
 * The links in node_modules lead to the packages of the original, which are not mutated. So they are replaced
 * by those of the copy.
 */
const ownPackages: Plugin = {
  name: 'stagepass-own-packages',
  enforce: 'pre',
  async resolveId(id, importer, options) {
    if (!id.startsWith('@stagepass/')) return null
    const resolved = await this.resolve(id, importer, { ...options, skipSelf: true })
    return resolved?.id.startsWith(`${ORIGINAL}/packages/`) ? resolved.id.replace(ORIGINAL, COPY) : resolved
  },
}

const tests = JSON.parse(process.env.MUTATION_TESTS ?? '["packages/*/src/**/*.test.{ts,tsx}"]') as string[]
const exclude = ['**/*.{browser,slow}.test.{ts,tsx}', '**/react18.test.ts']

export default defineConfig({
  ...sources,
  root: COPY,
  plugins: [ownPackages],
  test: {
    expect: { poll: { timeout: 10_000 } },
    projects: [
      inNode('node', tests, { exclude: [...exclude, '**/*.test.tsx'], isolate: false, testTimeout: 20_000 }),
      inDocument('dom', tests, { exclude: [...exclude, '**/*.test.ts'], testTimeout: 20_000 }),
    ],
  },
})
