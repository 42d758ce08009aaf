import { createBff } from '@stagepass/bff'
import { BFF_ERRORS, HANDSHAKE_ERRORS } from '@stagepass/contract'
import { voiceTranslation } from '@stagepass/react/codecs'
import { expect, it } from 'vitest'
import { filesEndingIn, readText } from '../docs/repositoryFiles.js'

/*
 * Checks that the names in the skills exist. run.test.tsx runs their programs, test/docs/code.test.ts
 * compiles them.
 */

const skills = filesEndingIn(/^SKILL\.md$/, 'packages/')
const KEYS = { apiKey: 'key', baseUrl: 'https://service.example', streamingUrl: 'wss://service.example' }

it.each(skills)('%s has the form of a skill', (path) => {
  const [, name, description = ''] =
    /^---\nname: (.+)\ndescription: (.+)\n---\n\n# /.exec(readText(path)) ?? []
  expect(path).toContain(`/skills/${name}/`)
  expect(description).not.toMatch(/[:#]/)
  expect(description.length).toBeLessThanOrEqual(1_024)
})

it('the pages that a skill names exist', () => {
  const pages = filesEndingIn(/\.md$/, 'docs/')
  const named = skills.flatMap((path) =>
    [...readText(path).matchAll(/\[([\w/-]+\.md)\]\(\.\.\/\.\.\/\.\.\/\.\.\/docs\/\1\)/g)].map(
      ([, page]) => `docs/${page}`,
    ),
  )
  expect(named.length).toBeGreaterThanOrEqual(8)
  expect(named.filter((page) => !pages.includes(page))).toEqual([])
})

it('the skills have each name that the job of the folder `job` needs', () => {
  const text = skills.map(readText).join('\n')
  const names = ['App.tsx', 'job.test.tsx'].flatMap((file) =>
    [...readText(`test/assistants/job/${file}`).matchAll(/import \{([^}]+)\} from '@stagepass\//g)].flatMap(
      ([, list = '']) => list.split(',').map((name) => name.replace('type ', '').trim()),
    ),
  )
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((name) => !text.includes(name))).toEqual([])
})

it('the codes in the skills exist, with their status', () => {
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

/** The message of the error that the function throws. */
function messageOf(mistake: () => unknown): string {
  try {
    mistake()
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
      { ...valid, userSecret: '' },
    ].map((options) => messageOf(() => createBff(options as never))),
    messageOf(() => voiceTranslation({ source_language: 'en', target_language: 'de-DE', voice: 'female' })),
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
