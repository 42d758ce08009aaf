import { readFileSync } from 'node:fs'
import {
  codesOf,
  MEETINGS_PARAMS,
  MEETINGS_WIRE,
  metricOfFigure,
  PAGE_FIGURES,
  PARAM_CONFIDENCE,
  type ParamSchema,
} from '@stagepass/contract'
import { PARAM_DOCS } from './openapi/paramDocs.js'
import { EVENT_LIST } from './eventDocs.js'
import { OPTION_LISTS } from './optionLists.js'

/*
 * The tables of the list's parameters and of the wire, the lists of options and events, and the code of
 * files that run, for the pages.
 */

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

type Filter = keyof typeof MEETINGS_PARAMS
const FILTERS = Object.keys(MEETINGS_PARAMS) as Filter[]

function typeOf(schema: ParamSchema): string {
  if (schema.type === 'integer') return `number, ${schema.minimum} to ${schema.maximum}`
  if (schema.type === 'array') return 'array'
  if ('enum' in schema) return schema.enum.map((word) => `\`'${word}'\``).join(', ')
  return 'anyOf' in schema ? '`Date` or ISO 8601' : 'text'
}

function filterRow(filter: Filter): string {
  const { schema } = MEETINGS_PARAMS[filter]
  const usual = 'default' in schema ? schema.default : ''
  return `| \`${filter}\` | ${typeOf(schema)} | ${usual} | ${PARAM_DOCS[filter]} |`
}

function wireRow(filter: Filter): string {
  return `| \`${MEETINGS_PARAMS[filter].name}\` | \`${filter}\` | ${PARAM_CONFIDENCE[filter]} |`
}

const SETTINGS = Object.entries(MEETINGS_WIRE).filter(([setting]) => setting !== 'params')

const settingRow = ([setting, { assumed, confidence }]: (typeof SETTINGS)[number]): string =>
  `| \`${setting}\` | \`${JSON.stringify(assumed)}\` | ${confidence} |`

const table = (head: readonly string[], rows: readonly string[]): string =>
  [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...rows].join('\n')

/** The code of a file. It compiles in its own place, so the check of the pages passes over its block. */
function codeOf(folder: string, name: string): string {
  const code = read(`${folder}${name}`)
  return `\`\`\`${name.split('.').at(-1)} [${name}]\n// ${name}\n${code}\`\`\``
}

/** The tables, lists and code of each page, by the names of their sections. */
export const TABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...OPTION_LISTS,
  'packages/bff/README.md': { ...OPTION_LISTS['packages/bff/README.md'], events: EVENT_LIST },
  'packages/react/README.md': {
    ...OPTION_LISTS['packages/react/README.md'],
    parameters: table(
      ['filter', 'value', 'default', 'meaning'],
      FILTERS.filter((filter) => filter !== 'cursor').map(filterRow),
    ),
  },
  'docs/test-your-app.md': {
    'playwright.config.ts': codeOf('test/recipes/playwright/', 'playwright.config.ts'),
    'voice.spec.ts': codeOf('test/recipes/playwright/', 'voice.spec.ts'),
  },
  'docs/vitals.md': {
    figures: table(
      ['figure', 'metric', 'meaning'],
      codesOf(PAGE_FIGURES).map(
        (name) => `| \`${name}\` | \`${metricOfFigure(name)}\` | ${PAGE_FIGURES[name].text} |`,
      ),
    ),
  },
  'docs/assumptions.md': {
    parameters: table(['parameter', 'filter', 'confidence'], FILTERS.map(wireRow)),
    settings: table(['setting of `meetings.wire`', 'default', 'confidence'], SETTINGS.map(settingRow)),
  },
}

/** The page with its tables, each between two comments. */
export function withTables(page: string): string {
  let text = read(page)
  for (const [name, rows] of Object.entries(TABLES[page] ?? {})) {
    const section = new RegExp(`(<!-- ${name} -->\\n\\n).*?(\\n\\n<!-- end of ${name} -->)`, 's')
    if (!section.test(text)) throw new Error(`Failed to write ${page}: it has no section "${name}".`)
    text = text.replace(section, (_, start: string, end: string) => start + rows + end)
  }
  return text
}
