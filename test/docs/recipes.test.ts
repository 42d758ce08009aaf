import { expect, it } from 'vitest'
import { readText } from './repositoryFiles.js'

// packages/react/src/audio/recipes.browser.test.tsx runs the pages, with sound in and text out.
// test/recipes/keepUsage.slow.test.ts and customers.slow.test.ts run the tables,
// packages/react/src/meetings/recipes.browser.test.tsx the list,
// packages/react/src/stream/useWebSocket.browser.test.tsx the socket.
it.each([
  ['docs/speech.md', 'Captions.tsx'],
  ['docs/audio.md', 'Dictate.tsx'],
  ['docs/speech.md', 'ReadAloud.tsx'],
  ['docs/speech.md', 'Interpreter.tsx'],
  ['docs/speech.md', 'PushToTalk.tsx'],
  ['docs/isolation.md', 'CleanCall.tsx'],
  ['packages/react/skills/clean-call/SKILL.md', 'CleanCall.tsx'],
  ['docs/languages.md', 'TwoLanguages.tsx'],
  ['docs/from/use-websocket.md', 'Listener.tsx'],
  ['docs/usage.md', 'keepUsage.ts'],
  ['docs/usage.md', 'keepBill.ts'],
  ['docs/customers.md', 'customers.ts'],
  ['packages/react/skills/read-aloud/SKILL.md', 'ReadAloud.tsx'],
])('%s shows the file %s', (page, name) => {
  const kind = name.split('.')[1]
  // A skill names its files in their first line.
  const shown = readText(page).replace(`\n// ${name}\n`, '\n')
  expect(shown).toContain(`\`\`\`${kind}\n${readText(`test/recipes/${name}`)}\`\`\``)
})
