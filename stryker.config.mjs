/* Stryker, as scripts/mutation.ts runs it for one area. */

const area = process.env.MUTATION_AREA ?? 'all'
const folder = '.cache/mutation'

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  plugins: ['@stryker-mutator/vitest-runner'],
  testRunner: 'vitest',
  vitest: { configFile: 'packages/testing/src/vitest/mutation.config.ts' },
  // It would read it with the compiler's old interface.
  tsconfigFile: 'none',
  ignorePatterns: ['dist', '.cache', 'bench', 'examples'],
  tempDirName: '.cache/stryker',
  concurrency: 2,
  // A process that gets no processor for a while has not found anything.
  timeoutMS: 30_000,
  // These run with the import of a module, and each would need a process of its own.
  ignoreStatic: true,
  incremental: true,
  incrementalFile: `${folder}/${area}.incremental.json`,
  reporters: ['clear-text', 'progress', 'html', 'json'],
  clearTextReporter: { allowColor: false, reportTests: false },
  htmlReporter: { fileName: `${folder}/${area}.html` },
  jsonReporter: { fileName: `${folder}/${area}.json` },
}
