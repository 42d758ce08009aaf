import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { WORKLETS, workletFile } from '../../scripts/embedWorklets.js'

const root = resolve(import.meta.dirname, '../..')

it.each(Object.keys(WORKLETS))(
  '%s is as new as its modules (if not: npx tsx scripts/embedWorklets.ts)',
  async (path) => {
    expect(readFileSync(`${root}/${path}`, 'utf8')).toBe(await workletFile(root, path))
  },
)
