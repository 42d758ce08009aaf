import { parseSync, traverse } from '@babel/core'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

/** The lines of a package that React Native's preset refuses, or compiles to something else. */
function troublesOf(name: string): string[] {
  const folder = `${root}/packages/${name}/src/`
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !/\.test\.|\.test-d\.|\.d\.ts$/.test(file),
  )
  return files.flatMap((file) => {
    const troubles: string[] = []
    const ast = parseSync(readFileSync(folder + file, 'utf8'), {
      filename: file,
      configFile: false,
      babelrc: false,
      parserOpts: { plugins: ['typescript', 'jsx'] },
    })
    const note = (what: string, line = 0): void => void troubles.push(`${name}/src/${file}:${line}: ${what}`)
    if (ast)
      traverse(ast, {
        StaticBlock: ({ node }) => note('a static block', node.loc?.start.line),
        ObjectExpression({ node: { properties, loc } }) {
          const hasSpread = properties.some(({ type }) => type === 'SpreadElement')
          const hasGetter = properties.some((one) => one.type === 'ObjectMethod' && one.kind !== 'method')
          // It becomes Object.assign, which reads the getter once, at the creation.
          if (hasSpread && hasGetter) note('a getter beside a spread', loc?.start.line)
        },
      })
    return troubles
  })
}

it.each(['react', 'contract', 'audio', 'emulator', 'bff', 'budget'])(
  "React Native's preset takes %s as it is",
  (name) => expect(troublesOf(name)).toEqual([]),
)
