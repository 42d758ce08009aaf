import { describe } from 'vitest'

/*
 * The tests of the components and hooks once more, under React 18. One file, because each worker that starts
 * with a document and the packages costs some seconds of a processor. What does not depend on React's version
 * is left out: the wire of the codecs, and tokens through the BFF.
 */

const FILES = import.meta.glob<unknown>([
  './**/*.test.tsx',
  '!./**/*.browser.test.tsx',
  // In a file of its own: it has no document.
  '!./server.test.tsx',
  // React 18 has no <Activity>.
  '!./activity.test.tsx',
  '!./codecs/voiceTranslation.test.tsx',
  '!./token/renewalThroughBff.test.tsx',
])

describe.each(Object.entries(FILES))('%s', async (_file, load) => {
  await load()
})
