import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { generate } from '../../tools/lua/generate.js'

it.each([...generate()])(
  'the script of the budget is as new as its rules (if not: npx tsx tools/lua/generate.ts): %s',
  (path, text) => {
    expect(readFileSync(path, 'utf8') === text).toBe(true)
  },
)
