import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBff } from '@stagepass/bff'
import { BFF_ERRORS, HANDSHAKE_ERRORS } from '@stagepass/contract'
import { expect, it } from 'vitest'
import { writeTexts } from '../../docs/.vitepress/texts.js'
import { filesEndingIn, readText } from '../docs/repositoryFiles.js'
import { missingIn, type Task, TASKS } from './tasks.js'

/*
 * Assistants know the packages from their skills and from `llms-full.txt`. Here stands what these texts must
 * hold. The API reference is not made for this test, so the other pages hold it alone.
 */

const skills = filesEndingIn(/^SKILL\.md$/, 'packages/')
/** `packages/bff/skills/mount-bff/SKILL.md` is `bff/mount-bff`. */
const texts = new Map(
  skills.map((path) => [path.replace(/^packages\/(\w+)\/skills\/(.+)\/SKILL\.md$/, '$1/$2'), readText(path)]),
)
const outDir = mkdtempSync(join(tmpdir(), 'stagepass-texts-'))
writeTexts({
  outDir,
  pages: filesEndingIn(/\.md$/, 'docs/').map((path) => path.slice('docs/'.length)),
  site: { base: '/', title: '', description: '' },
} as unknown as Parameters<typeof writeTexts>[0]) // It reads no more of the configuration.
texts.set('llms-full.txt', readFileSync(join(outDir, 'llms-full.txt'), 'utf8'))
rmSync(outDir, { recursive: true })

const textOf = (name: string): string => texts.get(name) ?? `There is no text ${name}`

it('there are six skills and ten tasks, and each task has an answer', () => {
  expect(skills).toHaveLength(6)
  expect(TASKS).toHaveLength(10)
  expect(TASKS.filter((task) => missingIn('', task).length < 5)).toEqual([])
})

it.each(TASKS)('the texts hold the answer to "$ask"', (task) => {
  expect(missingIn(task.texts.map(textOf).join('\n'), task)).toEqual([])
})

it('the packages export every name of the answers', async () => {
  const imports = TASKS.flatMap((task) => Object.entries(task.imports ?? {}))
  expect(imports.length).toBeGreaterThanOrEqual(10)
  for (const [entry, names] of imports)
    expect(Object.keys(await import(entry))).toEqual(expect.arrayContaining([...names]))
})

const KEYS = { apiKey: 'key', baseUrl: 'https://service.example', streamingUrl: 'wss://service.example' }

it('createBff knows every option of the answers', async () => {
  const options = TASKS.flatMap((task: Task) => task.options ?? []).map((name) => [name, undefined])
  await createBff({ ...(Object.fromEntries(options) as object), ...KEYS, authorize: () => null }).close()
  expect(() => createBff({ ...KEYS, authorize: () => null, origins: [] } as never)).toThrow(
    'unknown key "origins"',
  )
})

it.each(skills)('%s has the form of a skill', (path) => {
  const text = readText(path)
  const [, name, description = ''] = /^---\nname: (.+)\ndescription: (.+)\n---\n\n# /.exec(text) ?? []
  expect(path).toContain(`/skills/${name}/`)
  expect(description).toMatch(/^[A-Z][^:#]+\. Use (?:for|when) [^:#]+\.$/)
  expect(description.length).toBeLessThanOrEqual(1_024)
  expect(text).toContain('\n## Steps\n\n1. ')
  expect(text).toContain('\n## Never\n\n- Never ')
})

it('the pages that a skill names are in llms-full.txt', () => {
  const full = textOf('llms-full.txt')
  const named = skills.flatMap((path) =>
    [...readText(path).matchAll(/`([\w/-]+\.md)`/g)].map(([, page]) => page),
  )
  expect(named.length).toBeGreaterThanOrEqual(8)
  expect(named.filter((page) => !full.includes(`<!-- /${page} -->`))).toEqual([])
})

it('the codes in the skills are codes, with their status', () => {
  const statusOf = Object.fromEntries(
    Object.entries({ ...BFF_ERRORS, ...HANDSHAKE_ERRORS }).map(([code, { status }]) => [
      code,
      String(status),
    ]),
  )
  const named = skills.flatMap((path) => [
    ...[...readText(path).matchAll(/`(\w+)` \((\d{3})\)/g)].map(([, code = '', status]) => ({
      path,
      code,
      status,
    })),
    ...[...readText(path).matchAll(/(\d{3}) `([A-Z_]+)`/g)].map(([, status, code = '']) => ({
      path,
      code,
      status,
    })),
  ])
  expect(named.length).toBeGreaterThanOrEqual(30)
  expect(named.filter(({ code, status }) => statusOf[code] !== status)).toEqual([])
})

/** What `createBff` says of wrong options. */
function messageOf(options: object): string {
  try {
    createBff(options as never)
  } catch (thrown) {
    return (thrown as Error).message
  }
  return ''
}

it('the messages in the skills are those of the packages', () => {
  const valid = { ...KEYS, authorize: () => null }
  const said = [
    ...[
      { ...valid, apiKey: undefined },
      { ...valid, apikey: 'key' },
      { ...valid, origin: 'app.example.com' },
      { ...valid, userSecret: 'short' },
    ].map(messageOf),
    ...filesEndingIn(/(?<!\.test)\.tsx?$/, 'packages/react/src/').map(readText),
    ...filesEndingIn(/(?<!\.test)\.ts$/, 'packages/bff/src/').map(readText),
  ].join('\n')
  const quoted = skills.flatMap((path) =>
    [...readText(path).matchAll(/(`+)((?:Failed to|The grant) .+?)\1(?!`)/g)].map(
      ([, , message = '']) => message,
    ),
  )
  expect(quoted.length).toBeGreaterThanOrEqual(10)
  expect(quoted.filter((message) => !said.includes(message))).toEqual([])
})
