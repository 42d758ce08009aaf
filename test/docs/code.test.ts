import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { blocksOf, isProgram, type Program, programsOf, ROOT, writePrograms } from './programs.js'
import { filesEndingIn } from './repositoryFiles.js'

/*
 * The programs that the pages show are programs: each block that imports something is type-checked as a
 * module of its own, against the sources. What a page leaves to its reader is declared in
 * `placeholders.d.ts`.
 */

const FOLDER = `${ROOT}.cache/docs/`

async function check(programs: readonly Program[]): Promise<string> {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  cpSync(new URL('placeholders.d.ts', import.meta.url), `${FOLDER}placeholders.d.ts`)
  writePrograms(FOLDER, programs)
  const compilerOptions = { rootDir: '../..', noUnusedLocals: false, exactOptionalPropertyTypes: false }
  writeFileSync(
    `${FOLDER}tsconfig.json`,
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['**/*'], exclude: [] }),
  )
  const tsc = promisify(execFile)('npx', ['tsc', '-p', FOLDER], { cwd: ROOT })
  return tsc.then(
    () => '',
    (thrown: { stdout: string }) => thrown.stdout,
  )
}

const pages = filesEndingIn(/\.md$/)

it('every program in the pages compiles', { timeout: 120_000 }, async () => {
  const programs = pages.flatMap(programsOf)
  expect(programs.length).toBeGreaterThanOrEqual(45)
  expect(await check(programs)).toBe('')
})

// Written for readers who copy: nothing is left out. Pages outside of these folders also show parts of a
// program.
it.each(
  filesEndingIn(/\.md$/, 'docs/').filter((page) =>
    /^docs\/(?:index|concepts\/|recipes\/|start\/)/.test(page),
  ),
)('every TypeScript block of %s is a program', (page) => {
  expect(blocksOf(page).filter(({ code }) => !isProgram(code))).toEqual([])
})
