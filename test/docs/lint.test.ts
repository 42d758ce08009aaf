import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { readText } from './repositoryFiles.js'

/* A rule of .oxlintrc.json for files that are gone checks nothing, and no linter says so. */

interface Override {
  readonly files: readonly string[]
  readonly excludeFiles?: readonly string[]
}

const config = readText('.oxlintrc.json')
const { overrides } = JSON.parse(config) as { readonly overrides: readonly Override[] }
const paths = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
}).split('\n')

/** `a/{b,c}` as `a/b` and `a/c`, because one of them can be gone alone. */
function alternativesOf(glob: string): string[] {
  const [whole, list = ''] = /\{([^{}]*)\}/.exec(glob) ?? []
  return whole === undefined
    ? [glob]
    : list.split(',').flatMap((one) => alternativesOf(glob.replace(whole, one)))
}

const patternOf = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .replaceAll(/[.+]/g, '\\$&')
      .split(/(\*\*\/|\*\*|\*)/)
      .map((part) => ({ '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*' })[part] ?? part)
      .join('')}$`,
  )

it('each pattern of .oxlintrc.json matches a file', () => {
  const globs = overrides.flatMap(({ files, excludeFiles = [] }) => [...files, ...excludeFiles])
  expect(globs.length).toBeGreaterThan(20)
  const dead = globs
    .flatMap(alternativesOf)
    .filter((glob) => !paths.some((path) => patternOf(glob).test(path)))
  expect(dead).toEqual([])
})

it('each file that a message of .oxlintrc.json names exists', () => {
  const messages = [...config.matchAll(/"message": "([^"]+)"/g)].map(([, message = '']) => message)
  const names = messages.flatMap((message) => message.match(/[\w/]+\.tsx?\b/g) ?? [])
  expect(names.length).toBeGreaterThan(3)
  expect(names.filter((name) => !paths.some((path) => `/${path}`.endsWith(`/${name}`)))).toEqual([])
})
