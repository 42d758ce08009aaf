import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import parser from '@babel/eslint-parser'
import { ESLint } from 'eslint'
import hooks from 'eslint-plugin-react-hooks'
import { compile } from '../packages/testing/src/vitest/reactCompiler.js'

/*
 * Checks that React Compiler compiles every component and hook of @stagepass/react and of the registry, and
 * that React's recommended rules find nothing. An application may use both, and may copy our files. Comments
 * that disable a rule are ignored.
 */

const SOURCES = ['packages/react/src', 'registry/items']

const files = SOURCES.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test'))
    .map((name) => join(folder, name)),
)

const faults: string[] = []

let compiled = 0
for (const file of files) {
  try {
    const { code } = await compile(readFileSync(file, 'utf8'), resolve(file), 'all_errors')
    if (code?.includes('react/compiler-runtime')) compiled += 1
  } catch (thrown) {
    faults.push(String(thrown))
  }
}

const eslint = new ESLint({
  overrideConfigFile: true,
  allowInlineConfig: false,
  overrideConfig: {
    files: ['**/*.{ts,tsx}'],
    plugins: { 'react-hooks': { rules: hooks.rules } },
    rules: hooks.configs['recommended-latest'].rules,
    languageOptions: {
      parser,
      parserOptions: {
        requireConfigFile: false,
        babelOptions: { babelrc: false, configFile: false, parserOpts: { plugins: ['typescript', 'jsx'] } },
      },
    },
  },
})
for (const { filePath, messages } of await eslint.lintFiles(files)) {
  for (const { line, ruleId, message } of messages) faults.push(`${filePath}:${line} ${ruleId}: ${message}`)
}

if (compiled === 0) faults.push('React Compiler has found no component and no hook.')
for (const fault of faults) console.error(fault)
console.log(`${compiled} of ${files.length} files have components or hooks; ${faults.length} faults.`)
process.exitCode = faults.length > 0 ? 1 : 0
