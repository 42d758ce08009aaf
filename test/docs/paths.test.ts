import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readText } from './repositoryFiles.js'

/** `react/token/renewal.ts` of docs/architecture.md is `packages/react/src/token/renewal.ts`. */
const sourceOf = (path: string): string => path.replace(/^([a-z]+)\//, 'packages/$1/src/')

/** The paths in front of the colon of each step of one section. */
function pathsOf(section: string): string[] {
  const text = readText('docs/architecture.md').split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? ''
  return [...text.matchAll(/^\d+\. (.+?): /gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
  )
}

it.each(['The way of one request', 'The way of one message'])('each file of "%s" exists', (section) => {
  const paths = pathsOf(section)
  expect(paths.length).toBeGreaterThanOrEqual(5)
  expect(paths.filter((path) => !existsSync(sourceOf(path)))).toEqual([])
})
