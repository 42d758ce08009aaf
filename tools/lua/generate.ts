import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { type CompilerOptions, LuaLibImportKind, LuaTarget, transpileFiles } from 'typescript-to-lua'

/*
 * Compiles the rules of the budget to the script for Redis: `npx tsx tools/lua/generate.ts`, after each
 * change of packages/budget/src/core/rules. It writes two files. budgetScript.lua is for readers.
 * budgetScript.ts holds the same without comments and indentation, because a bundler would lose a file that
 * is read at run time. A test fails if they are older than their sources.
 */

const SOURCE = resolve(import.meta.dirname, '../../packages/budget/src')
const RULES = join(SOURCE, 'core/rules')
/** What the script calls, and what takes the place of a file of the rules. */
const ENTRIES = { readState: join(RULES, 'readState.ts'), applyOp: join(RULES, 'applyOp.ts') }
const TABLES = join(RULES, 'tables.ts')
const LUA_TABLES = join(import.meta.dirname, 'tables.ts')
const READABLE = join(SOURCE, 'redis/budgetScript.lua')
const MODULE = join(SOURCE, 'redis/budgetScript.ts')

/**
 * One file, each declaration after those that it uses: so the compiler makes one chunk of local functions.
 * Redis has no `require`.
 */
function joinDeclarations(): string {
  const declarations = new Map<string, { readonly text: string; readonly uses: readonly string[] }>()
  const seen = new Set<string>()

  const read = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    const code = readFileSync(path === TABLES ? LUA_TABLES : path, 'utf8')
    const file = ts.createSourceFile(path, code, ts.ScriptTarget.ESNext, true)
    for (const statement of file.statements) {
      if (ts.isImportDeclaration(statement) && ts.isStringLiteral(statement.moduleSpecifier))
        read(resolve(dirname(path), statement.moduleSpecifier.text.replace(/js$/, 'ts')))
      else declare(path, statement)
    }
  }

  const declare = (path: string, statement: ts.Statement): void => {
    const text = statement.getFullText().replace(/^export /m, '')
    const uses: string[] = []
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node)) uses.push(node.text)
      if (ts.isSpreadElement(node) || ts.isSpreadAssignment(node) || ts.isDeleteExpression(node))
        refuse(path, node)
      ts.forEachChild(node, visit)
    }
    visit(statement)
    for (const name of namesOf(statement)) {
      const other = declarations.get(name)
      // The tables have a type and a value of one name each.
      if (other !== undefined && path !== TABLES)
        throw new Error(`Failed to join the rules: two of their files declare ${name}. Rename one.`)
      declarations.set(name, { text: (other?.text ?? '') + text, uses })
    }
  }

  const texts = new Set<string>()
  const visiting = new Set<string>()
  const add = (name: string): void => {
    const declaration = declarations.get(name)
    if (declaration === undefined || visiting.has(name)) return
    visiting.add(name)
    for (const used of declaration.uses) add(used)
    texts.add(declaration.text)
  }
  for (const path of Object.values(ENTRIES)) read(path)
  for (const name of Object.keys(ENTRIES)) add(name)
  return `${[...texts].join('')}\nexport {}\n`
}

/**
 * What compiles and is wrong or slow in Lua, and no rule of the linter finds: spread does not remove a field
 * by `undefined`, and fails above 8,000 items in a call.
 */
function refuse(path: string, node: ts.Node): never {
  throw new Error(
    `Failed to compile ${relative(SOURCE, path)}: ${node.getText()}. Write a loop, name each field, or use forget() of tables.ts.`,
  )
}

function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText())
  const { name } = statement as ts.DeclarationStatement
  return name === undefined ? [] : [name.text]
}

function compile(code: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-lua-'))
  const path = join(folder, 'rules.ts')
  writeFileSync(path, code)
  const extensions = fileURLToPath(import.meta.resolve('@typescript-to-lua/language-extensions/package.json'))
  const options: CompilerOptions = {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2023.d.ts'],
    types: [dirname(extensions)],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    luaTarget: LuaTarget.Lua51,
    luaLibImport: LuaLibImportKind.Inline,
    noImplicitSelf: true,
    noHeader: true,
  }
  try {
    let lua = ''
    const { diagnostics } = transpileFiles([path], options, (_name, text) => (lua = text))
    if (diagnostics.length === 0) return lua
    const host = { getCanonicalFileName: String, getCurrentDirectory: () => folder, getNewLine: () => '\n' }
    throw new Error(`Failed to compile the rules to Lua:\n${ts.formatDiagnostics(diagnostics, host)}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Both files, by path. */
export function generate(): Map<string, string> {
  const rules = compile(joinDeclarations()).replace(/^(local ____exports = \{\}|return ____exports)\n/gm, '')
  const header = `-- Written by tools/lua/generate.ts from the TypeScript of ${relative(SOURCE, RULES)} and from redis/frame.lua. Do not edit it.\n`
  const frame = readFileSync(join(SOURCE, 'redis/frame.lua'), 'utf8')
  const [before = '', after = ''] = frame.split('-- RULES\n')
  const module = `/* Written by tools/lua/generate.ts: budgetScript.lua without its comments and indentation. Do not edit it. */

/** The first part of the script. Tests put a clock of their own in its place. */
export const STORE_CLOCK = ${JSON.stringify(squeeze(before))}

/** The rules of core/rules, as one script for Redis and Valkey. */
export const BUDGET_SCRIPT: string = STORE_CLOCK + ${JSON.stringify(squeeze(rules + after))}
`
  return new Map([
    [READABLE, header + before + rules + after],
    [MODULE, module],
  ])
}

/** Each instance sends the script to Redis, so comments and indentation stay in the readable file. */
function squeeze(lua: string): string {
  const lines = lua.replace(/--\[\[[^]*?\]\]\n/g, '').split('\n')
  const kept = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('--'))
  return `${kept.join('\n')}\n`
}

if (process.argv[1] === import.meta.filename) for (const [path, text] of generate()) writeFileSync(path, text)
