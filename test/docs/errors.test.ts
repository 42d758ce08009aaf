import { readFileSync } from 'node:fs'
import { BFF_ERRORS, CLIENT_ERRORS, codesOf, HANDSHAKE_ERRORS } from '@stagepass/contract'
import { BFF_TITLES, HANDSHAKE_MESSAGES } from '@stagepass/contract/titles'
import { expect, it } from 'vitest'

const TABLES = [BFF_ERRORS, HANDSHAKE_ERRORS, CLIENT_ERRORS]
const SENTENCES: Readonly<Record<string, string>> = { ...BFF_TITLES, ...HANDSHAKE_MESSAGES }
const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')

it('docs/errors.md has one heading for each code of the tables, in their order', () => {
  const headings = [...page.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading)
  expect(headings).toEqual(TABLES.flatMap((table) => codesOf(table)))
})

it.each(TABLES.flatMap((table) => Object.entries(table)))(
  'docs/errors.md says of %s what its table says',
  (code, row) => {
    const section = page.split(`### ${code}\n`)[1]?.split('\n#')[0]
    const status = row.status === 0 ? 'No status: it happens in the browser' : `Status ${row.status}`
    // What happens in the browser alone has its sentence here and nowhere else.
    const sentence = SENTENCES[code] ?? /“(.+)”/.exec(section ?? '')?.[1]
    expect(section).toContain(`\n${status}, ${row.retryable ? 'retryable' : 'final'}. “${sentence}”\n`)
    expect(section?.trim().split('\n\n')).toHaveLength(3)
  },
)
