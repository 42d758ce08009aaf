import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

interface Entry {
  readonly resolved?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Readonly<Record<string, Entry>>
}

// If a registry does not have one platform's binary yet, `npm install` writes a lockfile without it, and `npm
// ci` fails on that platform. Then pin the versions that are complete and make the lockfile again.
it('the lockfile has an entry for every platform', () => {
  const names = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)))
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !names.has(name))
      .map((name) => `${path} wants ${name}`),
  )
  expect(missing).toEqual([])
})

it('the lockfile names no registry', () =>
  expect(Object.keys(packages).filter((path) => packages[path]?.resolved?.startsWith('http'))).toEqual([]))
