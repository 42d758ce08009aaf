import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

/*
 * The programs that the pages show are programs: each block that imports something is type-checked as a module of its own, against the
 * sources. What a page leaves to its reader is declared in `placeholders.d.ts`.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = `${ROOT}.cache/docs/`

interface Program {
  readonly name: string
  readonly code: string
}

function programsOf(page: string): Program[] {
  const blocks = [...readFileSync(ROOT + page, 'utf8').matchAll(/^```tsx?\n([\s\S]*?)^```/gm)]
  return blocks
    .map(([, code = ''], index) => ({ name: `${page.replaceAll(/\W+/g, '_')}_${index + 1}.tsx`, code }))
    .filter(({ code }) => /^import .* from '/m.test(code))
}

async function check(programs: readonly Program[]): Promise<string> {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  cpSync(new URL('placeholders.d.ts', import.meta.url), `${FOLDER}placeholders.d.ts`)
  for (const { name, code } of programs) writeFileSync(FOLDER + name, code)
  const compilerOptions = { rootDir: '../..', noUnusedLocals: false, exactOptionalPropertyTypes: false }
  writeFileSync(
    `${FOLDER}tsconfig.json`,
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['*'], exclude: [] }),
  )
  const tsc = promisify(execFile)('npx', ['tsc', '-p', FOLDER], { cwd: ROOT })
  return tsc.then(
    () => '',
    (thrown: { stdout: string }) => thrown.stdout,
  )
}

const filesIn = (folder: string): string[] => readdirSync(ROOT + folder).map((name) => `${folder}/${name}`)
const pages = ['.', 'docs', ...filesIn('packages'), ...filesIn('examples')]
  .flatMap(filesIn)
  .filter((file) => file.endsWith('.md'))

it('every program in the pages compiles', { timeout: 120_000 }, async () => {
  const programs = pages.flatMap(programsOf)
  expect(programs.length).toBeGreaterThanOrEqual(10)
  expect(await check(programs)).toBe('')
})
