/*
 * Stryker's configuration: `AREA=gate npx stryker run scripts/mutation.mjs` changes the code of an area, one
 * change at a time, and runs the tests that reach it. A change that no test finds has survived. Without an
 * area it takes all, for hours. `--force` runs all changes again, also those whose code and tests are as in
 * the last run.
 */

const pages = ['readKey', 'createPages', 'boundWaiters']
// Not the hooks and options that pass the token to React: their tests need a page and a BFF.
const token = ['SessionToken', 'createTokenSource', 'renewal', 'state', 'transitions']

/** For each area the files to change, and the tests that should fail. */
const AREAS = {
  gate: [
    [
      'packages/bff/src/front/{gate/*,authorizeRequest}.ts',
      'packages/bff/src/grant/readGrant.ts',
      'packages/bff/src/desk/createAdmission.ts',
      'packages/bff/src/usage/createLimits.ts',
    ],
    [
      'packages/bff/src/front/{gate/*,checkUser,mount}.test.ts',
      'packages/bff/src/{accounts/accountKeys,grant/readGrant,usage/limits}.test.ts',
    ],
  ],
  pages: [
    pages.map((name) => `packages/bff/src/meetings/${name}.ts`),
    // Not the one that takes seconds for each change: 500 accounts at once.
    [
      'packages/bff/src/meetings/{boundWaiters,createPages,flights,readKey,sharing}.test.ts',
      'packages/bff/src/upstream/whatWasSeen.test.ts',
    ],
  ],
  secrets: [
    ['packages/bff/src/accounts/{createSecretReader,withSecret}.ts'],
    ['packages/bff/src/accounts/{createSecretReader,credentials}.test.ts'],
  ],
  accounts: [
    ['packages/bff/src/accounts/{Account,AccountSessions,createAccounts,createSessionTexts}.ts'],
    [
      'packages/bff/src/accounts/{accountKeys,createAccounts,credentials}.test.ts',
      'packages/bff/src/desk/{forget,sessions}.redis.test.ts',
    ],
  ],
  usage: [
    [
      'packages/bff/src/usage/{createBreaker,createReceipts,createRefunds,createSettlements,createUsage,createUsageStore,usageRules}.ts',
    ],
    [
      'packages/bff/src/usage/{createBreaker,createReceipts,createRefunds,createUsage,createUsageStore,usage,usageModel}.test.ts',
      'packages/bff/src/usage/{caps,createUsageStore,replaced,usage}.redis.test.ts',
    ],
  ],
  crypto: [
    ['packages/bff/src/{base/{keys,sameText},usage/userNames}.ts'],
    ['packages/bff/src/base/keys.test.ts'],
  ],
  // These tests call the rules directly, and compare them with the script for Redis. The tests of whole
  // budgets would wait forever after many changes.
  rules: [
    ['packages/budget/src/turns/applyTurnsCall.ts'],
    ['packages/budget/src/turns/applyTurnsCall.test.ts'],
  ],
  machine: [['packages/react/src/stream/machine/*.ts'], ['packages/react/src/stream/machine/*.test.ts']],
  token: [
    token.map((name) => `packages/react/src/token/${name}.ts`),
    ['packages/react/src/token/{SessionToken,createTokenSource,gap,renewal,transitions}.test.ts'],
  ],
  // Not its tests in `.tsx`: they have a document, and take seconds for each change.
  silence: [
    [
      'packages/react/src/audio/session/{createSession,state,transition}.ts',
      'packages/react/src/audio/silence/{createEar,followSpeech,silenceTransition}.ts',
      'packages/audio/src/speech/createSpeechGate.ts',
    ],
    [
      'packages/react/src/audio/{session,silence}/*.test.ts',
      'packages/audio/src/speech/createSpeechGate.test.ts',
    ],
  ],
}

const { AREA = 'all' } = process.env
const chosen = Object.entries(AREAS).filter(([name]) => AREA === 'all' || AREA === name)
if (chosen.length === 0)
  throw new Error(`Failed to find ${AREA}. The areas are ${Object.keys(AREAS).join(', ')}.`)

// The configuration of the tests reads it.
process.env.MUTATION_TESTS = JSON.stringify(chosen.flatMap(([, [, tests]]) => tests))

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: [...chosen.flatMap(([, [files]]) => files), '!**/*.test.*'],
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
  incrementalFile: `.cache/mutation/${AREA}.incremental.json`,
  reporters: ['clear-text', 'progress', 'html'],
  clearTextReporter: { allowColor: false, reportTests: false },
  htmlReporter: { fileName: `.cache/mutation/${AREA}.html` },
}
