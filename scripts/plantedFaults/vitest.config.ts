import { defaultClientConditions, defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'

/*
 * The tests in Node and in a simulated page, under React 19, and nothing else: no demo, no browser. So it starts in a second or two. It is
 * copied to the root of the tree in which a fault is planted.
 */

const source = '@stagepass/source'
const ignored = [
  '**/node_modules/**',
  '**/dist/**',
  '**/*.browser.test.*',
  '**/*.processes.test.ts',
  '**/*.topologies.test.ts',
  '**/*.crowd.test.ts',
  // The tests of other files once more.
  '**/react18.test.ts',
]
const shared = { deps: { interopDefault: false }, testTimeout: 15_000 }

export default defineConfig({
  resolve: { conditions: [source, ...defaultClientConditions] },
  ssr: { resolve: { conditions: [source, ...defaultServerConditions] } },
  oxc: { jsx: { runtime: 'automatic' } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: 'node',
          environment: 'node',
          include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...ignored, 'packages/react/**', 'test/demo/**'],
        },
      },
      {
        extends: true,
        resolve: {
          conditions: [source, ...defaultClientConditions],
          alias: [{ find: /^ws$/, replacement: `${process.cwd()}/node_modules/ws/wrapper.mjs` }],
        },
        test: {
          ...shared,
          name: 'dom',
          environment: 'jsdom',
          setupFiles: ['./test/dom.ts'],
          include: ['packages/react/src/**/*.test.{ts,tsx}', 'test/**/*.test.tsx'],
          exclude: ignored,
        },
      },
    ],
  },
})
