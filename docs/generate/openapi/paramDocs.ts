import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MEETINGS_PARAMS } from '@stagepass/contract'

// Not with `new URL`, because in a test with a document a bundler would treat it as an address of the page.
const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '../../../packages/contract/src/service')
const SOURCE = readFileSync(join(FOLDER, 'meetingsParams.ts'), 'utf8')

/** The description of each parameter: the comment above its row, without citations. */
export const PARAM_DOCS = Object.fromEntries(
  [...SOURCE.matchAll(/\/\*\*((?:(?!\*\/).)+)\*\/\n {2}(\w+): \{/gs)].map(([, comment = '', filter]) => [
    filter,
    comment
      .replaceAll(/\s+(?:\* )?/g, ' ')
      .replaceAll(/\([A-Z]\w+: [^)]+\)/g, '')
      .trim(),
  ]),
) as Readonly<Record<keyof typeof MEETINGS_PARAMS, string>>
