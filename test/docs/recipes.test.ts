import { expect, it } from 'vitest'
import { readText } from './repositoryFiles.js'

// packages/react/src/audio/recipes.browser.test.tsx runs these files in a page, with sound in and text out.
it.each([
  ['docs/recipes/captions.md', 'Captions'],
  ['docs/recipes/microphone.md', 'Dictate'],
  ['docs/recipes/translation.md', 'Interpreter'],
  ['docs/streams.md', 'PushToTalk'],
])('%s shows the file of %s', (page, name) => {
  expect(readText(page)).toContain(`\`\`\`tsx\n${readText(`test/recipes/${name}.tsx`)}\`\`\``)
})
