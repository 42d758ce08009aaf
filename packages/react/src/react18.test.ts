import { describe } from 'vitest'

/*
 * Runs the tests of the components and hooks again, under React 18. One file, because each worker with a
 * document and the packages costs some seconds of a processor. Tests that do not depend on React's version
 * are left out: the wire of the codecs, and tokens through the BFF.
 */

const FILES = import.meta.glob<unknown>([
  './**/*.test.tsx',
  '!./**/*.browser.test.tsx',
  // It runs in a separate file, without a document.
  '!./server.test.tsx',
  // React 18 has no <Activity>.
  '!./client/activity.test.tsx',
  // React Native 0.79 and later need React 19.
  '!./**/*.native.test.tsx',
  '!./codecs/voiceTranslation.test.tsx',
  '!./token/renewalThroughBff.test.tsx',
])

describe.each(Object.entries(FILES))('%s', async (_file, load) => {
  await load()
})
