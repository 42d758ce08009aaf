import { BFF_ERRORS, HANDSHAKE_ERRORS } from '@stagepass/contract'
import { expect, it } from 'vitest'
import { filesEndingIn, readText } from '../docs/repositoryFiles.js'

/*
 * An assistant finds a skill by its form, and acts on the codes in it. run.test.tsx runs the programs of the
 * skills, test/docs/code.test.ts compiles them, and test/docs/links.test.ts follows their links.
 */

const skills = filesEndingIn(/^SKILL\.md$/, 'packages/')

it.each(skills)('%s has the form of a skill', (path) => {
  const [, name, description = ''] =
    /^---\nname: (.+)\ndescription: (.+)\n---\n\n# /.exec(readText(path)) ?? []
  expect(path).toContain(`/skills/${name}/`)
  expect(description).not.toMatch(/[:#]/)
  expect(description.length).toBeLessThanOrEqual(1_024)
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
  expect(named.length).toBeGreaterThanOrEqual(20)
  expect(named.filter(({ code, status }) => statusOf[code] !== status)).toEqual([])
})
