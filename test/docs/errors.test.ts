import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  BFF_ERRORS,
  CLIENT_ERRORS,
  codesOf,
  HANDSHAKE_ERRORS,
  type VoiceErrorCode,
} from '@stagepass/contract'
import { BFF_TITLES, CLIENT_MESSAGES, HANDSHAKE_MESSAGES } from '@stagepass/contract/titles'
import { expect, it } from 'vitest'
import { HINTS } from '../../packages/react/src/errors/hints.js'

/*
 * docs/errors.md is the table of all codes: status, message, cause, hint. Here it is compared with the code.
 */

const TABLES = [BFF_ERRORS, HANDSHAKE_ERRORS, CLIENT_ERRORS]
const MESSAGES: Readonly<Record<string, string>> = {
  ...BFF_TITLES,
  ...HANDSHAKE_MESSAGES,
  ...CLIENT_MESSAGES,
}
const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')

it('docs/errors.md has one heading for each code of the tables, in their order', () => {
  const headings = [...page.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading)
  expect(headings).toEqual(TABLES.flatMap((table) => codesOf(table)))
})

it.each(TABLES.flatMap((table) => Object.entries(table)))(
  'docs/errors.md says of %s what its tables say: status, message and hint',
  (code, row) => {
    const section = page.split(`### ${code}\n`)[1]?.split('\n#')[0]
    const parts = section?.trim().split('\n\n') ?? []
    const [first, advice] = [parts[0], parts.at(-1)]
    const status = row.status === 0 ? '' : `Status ${row.status}, `
    const kind = row.retryable ? 'retryable' : 'final'
    const start = status + (status ? kind : kind[0]?.toUpperCase() + kind.slice(1))
    expect(first).toBe(`${start}. “${MESSAGES[code]}”`)
    expect(advice?.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/\s+/g, ' ')).toBe(
      HINTS[code as VoiceErrorCode],
    )
    // The cause stands between them, unless the message says it.
    expect([2, 3]).toContain(parts.length)
  },
)

it('no text of the packages sends a reader to a file of this repository', () => {
  const root = fileURLToPath(new URL('../../packages/', import.meta.url))
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /src\/.*\.tsx?$/.test(file) && !/\.test|node_modules|dist\//.test(file),
  )
  const found = sources.filter((file) =>
    /See [^\n]* in docs\/errors\.md/.test(readFileSync(root + file, 'utf8')),
  )
  expect(found).toEqual([])
  expect(sources.length).toBeGreaterThan(100)
})
