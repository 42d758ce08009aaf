import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ROOT } from './programs.js'
import { filesEndingIn } from './repositoryFiles.js'

/*
 * An option that no reader meets is not needed. Each member of the public types of options is in code that a
 * user reads (an example, a component to copy), or a page names it outside of its generated lists.
 */

const NAMES = /^\w*(?:Options|Grant|Settings|Setup|Codec|Rollover|Filters)$/
/** Options that only our own programs and tests use. */
const INTERNAL = [
  'clock',
  'platform',
  'wallNow',
  'random',
  'telemetry',
  'transport',
  'openSocket',
  'environment',
  'redactor',
  'sleep',
]

interface Declared {
  readonly file: string
  readonly members: readonly string[]
  /** Names of the types in it. */
  readonly uses: readonly string[]
}

/** The interfaces of a package by their names. */
function interfacesOf(name: string): Map<string, Declared> {
  const found = new Map<string, Declared>()
  const files = filesEndingIn(/^(?!.*\.test).*\.tsx?$/, `packages/${name}/src/`)
  for (const file of files) {
    const code = readFileSync(ROOT + file, 'utf8').replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, '')
    for (const { index, groups } of code.matchAll(/\binterface (?<name>\w+)(?<head>[^{]*)\{/g)) {
      const start = index + code.slice(index).indexOf('{')
      const body = code.slice(start, code.indexOf('\n}', start))
      const members = [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(<]/gm)].map(
        ([, member = '']) => member,
      )
      const uses = [...`${groups?.['head']}${body}`.matchAll(/\b[A-Z]\w+/g)].map(([word]) => word)
      found.set(groups?.['name'] ?? '', { file, members, uses })
    }
  }
  return found
}

/** Types of options that the entries of a package export, and the types in them. */
function publicOptions(name: string): readonly Declared[] {
  const declared = interfacesOf(name)
  const entries = filesEndingIn(/^index\.ts$/, `packages/${name}/src/`)
  const words = entries.flatMap((file) => readFileSync(ROOT + file, 'utf8').match(/\b[A-Z]\w+/g) ?? [])
  const wanted = new Set<string>()
  const take = (word: string): void => {
    const type = declared.get(word)
    if (!type || wanted.has(word) || !NAMES.test(word)) return
    wanted.add(word)
    for (const used of type.uses) take(used)
  }
  for (const word of words) take(word)
  return [...wanted].map((word) => declared.get(word) as Declared)
}

/** The blocks of code of a page, and what it has between backticks, without the lists that a script writes. */
function codeOf(page: string): string {
  const text = readFileSync(ROOT + page, 'utf8')
  const written = text.startsWith('<!-- Written by') ? '' : text.replaceAll(LIST, '')
  return written.match(/```[^]*?```|`[^`\n]+`/g)?.join('\n') ?? ''
}
const LIST = /<!-- (\w+) -->[^]*?<!-- end of \1 -->/g

const code = [
  ...filesEndingIn(/\.md$/).map(codeOf),
  ...['examples/', 'registry/items/']
    .flatMap((folder) => filesEndingIn(/(?<!\.test)\.[jt]sx?$/, folder))
    .map((file) => readFileSync(ROOT + file, 'utf8')),
].join('\n')
const shown = new Set(code.match(/\w+/g))

it.each(['bff', 'budget', 'emulator', 'react', 'audio', 'doctor'])(
  'every option of @stagepass/%s is in an example, a component or a page',
  (name) => {
    const types = publicOptions(name)
    expect(types.length).toBeGreaterThan(0)
    const missing = types.flatMap(({ file, members }) =>
      members
        .filter((member) => !shown.has(member) && !INTERNAL.includes(member))
        .map((member) => `${file}: ${member}`),
    )
    expect(missing).toEqual([])
  },
)
