import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { luaModule } from '../../scripts/embedLua.js'

const root = resolve(import.meta.dirname, '../..')

it('the module with the Lua of the budget is as new as the Lua files (if not: npx tsx scripts/embedLua.ts)', async () => {
  const module = readFileSync(`${root}/packages/budget/src/redis/luaSources.ts`, 'utf8')
  expect(module).toBe(await luaModule(root))
})
