import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { blocksOf, isProgram, type Program, programsOf, ROOT, writePrograms } from './programs.js'
import { filesEndingIn } from './repositoryFiles.js'

/*
 * The programs in the pages compile: each block with an import is type-checked as a separate module, against
 * the sources. `placeholders.d.ts` declares the names that a page leaves to its reader.
 */

const FOLDER = `${ROOT}.cache/docs/`

async function check(programs: readonly Program[]): Promise<string> {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  cpSync(new URL('placeholders.d.ts', import.meta.url), `${FOLDER}placeholders.d.ts`)
  writePrograms(FOLDER, programs)
  const compilerOptions = { rootDir: '../..', noUnusedLocals: false }
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
/** `scripts/consumer` compiles that of Fastify, which is not installed here. */
const isOfFastify = ({ code }: Program): boolean => code.includes(" from 'fastify'")

it('every program in the pages compiles', async () => {
  const programs = pages.flatMap(programsOf).filter((program) => !isOfFastify(program))
  expect(programs.length).toBeGreaterThanOrEqual(45)
  expect(await check(programs)).toBe('')
})

// Pages for readers who copy: their programs are complete. Pages outside of these folders also show parts of
// a program.
it.each(
  pages.filter((page) =>
    /^docs\/(?:index|speech|audio|test-your-app|start\/)|^packages\/\w+\/skills\//.test(page),
  ),
)('every TypeScript block of %s is a program', (page) => {
  expect(blocksOf(page).filter(({ code }) => !isProgram(code))).toEqual([])
})

/** Functions that a user calls. Their types come from their arguments. */
const CALLS = /\b(?:use[A-Z]\w*|create[A-Z]\w*|voice\.\w+)<(?!string|number|boolean|HTML)[^>(]*>\(/

it('no page, example or recipe needs a type argument or a cast for our functions', () => {
  const examples = ['examples/', 'test/recipes/'].flatMap((folder) => filesEndingIn(/\.tsx?$/, folder))
  const codes = [
    ...pages.flatMap(programsOf),
    ...examples.map((file) => ({ file, code: readFileSync(ROOT + file, 'utf8') })),
  ].filter(({ code }) => code.includes("'@stagepass/react"))
  expect(codes.length).toBeGreaterThan(50)
  const ours = (code: string): Set<string> =>
    new Set(
      [...code.matchAll(/import (?:type )?\{([^}]*)\} from '@stagepass\/react[^']*'/g)].flatMap(
        ([, names = '']) => names.split(',').map((name) => name.trim()),
      ),
    )
  const found = codes.flatMap(({ file, code }) =>
    code
      .split('\n')
      .filter((line) => {
        const call = CALLS.exec(line)?.[0].split('<')[0]?.trim()
        return (call !== undefined && ours(code).has(call)) || /\bas (?:any|unknown|never)\b|@ts-/.test(line)
      })
      .map((line) => `${file}: ${line.trim()}`),
  )
  expect(found).toEqual([])
})
