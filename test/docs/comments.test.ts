import { expect, it } from 'vitest'
import { filesEndingIn, readText } from './repositoryFiles.js'

const WIDTH = (JSON.parse(readText('.prettierrc.json')) as { printWidth: number }).printWidth

/** prettier wraps code, but not comments. */
const COMMENT = /^\s*(?:\/\/|\/?\*)/
/** Lines that cannot be broken: addresses, and comments for a tool. */
const WHOLE = /https?:\/\/|(?:oxlint|eslint|prettier|v8|@ts)-/

it('comments keep to the print width', () => {
  const files = filesEndingIn(/\.(?:[cm]?ts|tsx|mjs)$/)
  expect(files.length).toBeGreaterThan(500)
  const wide = files.flatMap((path) =>
    readText(path)
      .split('\n')
      .flatMap((line, index) =>
        line.length > WIDTH && COMMENT.test(line) && !WHOLE.test(line) ? [`${path}:${index + 1}`] : [],
      ),
  )
  expect(wide).toEqual([])
})
