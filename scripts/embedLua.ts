import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { format, resolveConfig } from 'prettier'

/*
 * Writes the Lua files of the budget into one module, because a bundler would lose files that are read at run time. `npm run build` runs it;
 * a test fails if the module is older than the files.
 */

const REDIS = 'packages/budget/src/redis'
const MODULE = `${REDIS}/luaSources.ts`

/** The text of the module. Comments and indentation stay in the files: each instance sends the script to Redis. */
export async function luaModule(root: string): Promise<string> {
  const folder = join(root, REDIS, 'lua')
  const entries = readdirSync(folder)
    .filter((file) => file.endsWith('.lua'))
    .toSorted()
    .map((file) => {
      const code = readFileSync(join(folder, file), 'utf8').replace(/--\[\[[^]*?\]\]\n/g, '')
      const lines = code.split('\n').map((line) => line.trim())
      const kept = lines.filter((line) => line !== '' && !line.startsWith('--'))
      return `${basename(file, '.lua')}: ${JSON.stringify(`${kept.join('\n')}\n`)},`
    })
  const text = `/* Written by scripts/embedLua.ts from the files of lua/. */\n\nexport const LUA = {\n${entries.join('\n')}\n} as const\n`
  return format(text, { ...(await resolveConfig(join(root, MODULE))), filepath: MODULE })
}

export async function embedLua(root: string): Promise<void> {
  const path = join(root, MODULE)
  const text = await luaModule(root)
  if (readFileSync(path, 'utf8') !== text) writeFileSync(path, text)
}

if (process.argv[1] === import.meta.filename) await embedLua(resolve(import.meta.dirname, '..'))
