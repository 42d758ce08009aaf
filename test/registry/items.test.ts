import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { build, type Rollup } from 'vite'
import { expect, it } from 'vitest'
import {
  exampleOf,
  filesOf,
  importsOf,
  ITEM_NAMES as names,
  readItem,
  readItemFile,
} from '../../registry/build.js'
import { ITEMS, type ItemName } from '../../registry/items.js'

/** A property of the page with the value that it has without one. */
const PROPERTY = /^ {2,4}(--_[\w-]+): (var\(--stagepass.+);$/gm

it('each row has its files, and each file its row', () => {
  const files = names.flatMap(filesOf)
  expect(readdirSync('registry/items').toSorted()).toEqual(files.toSorted())
})

it.each(names)('%s has an example, stories, and tests in browsers', (name) => {
  expect(exampleOf(name, './')).toContain('export function Page()')
  expect(existsSync(`registry/stories/${name}.stories.tsx`)).toBe(true)
  expect(existsSync(`registry/tests/${name}.browser.test.tsx`)).toBe(true)
})

it.each(names)(
  '%s imports React, the hooks, other items, its own hooks and styles, and nothing else',
  (name) => {
    const allowed = (path: string): boolean =>
      path === 'react' ||
      /^@stagepass\/react(?:\/|$)/.test(path) ||
      path === `./${name}.css` ||
      filesOf(name).includes(`${path.slice('./'.length)}.ts`) ||
      names.some((other) => other !== name && path === `./${other}`)
    const imports = filesOf(name).flatMap((file) => importsOf(readItemFile(file)))
    expect(imports).toContain(`./${name}.css`)
    expect(imports.filter((path) => !allowed(path))).toEqual([])
    expect(readItem(name, 'css')).not.toMatch(/@import|url\(/)
  },
)

it('a custom property has the same value in every item', () => {
  const values = new Map<string, Set<string>>()
  for (const name of names)
    for (const [, property = '', value = ''] of readItem(name, 'css').matchAll(PROPERTY))
      values.set(property, (values.get(property) ?? new Set()).add(value))
  expect(values.size).toBeGreaterThanOrEqual(8)
  expect([...values].filter(([, { size }]) => size > 1)).toEqual([])
})

it.each(['examples/demo/src/styles/theme.css', 'examples/playground/src/playground.css'])(
  '%s has the colours of the items',
  (file) => {
    const css = readFileSync(file, 'utf8')
    const colours = new Set(
      names.flatMap((name) => readItem(name, 'css').match(/(?<=, )light-dark\([^)]+\)(?=\);$)/gm) ?? []),
    )
    expect(colours.size).toBeGreaterThanOrEqual(8)
    expect([...colours].filter((one) => !css.includes(one))).toEqual([])
  },
)

it.each(names)('%s names the custom properties that it uses, and no other', (name) => {
  const css = readItem(name, 'css')
  const all = (pattern: RegExp): Set<string> =>
    new Set([...css.matchAll(pattern)].map(([, property = '']) => property))
  expect(all(/var\((--_[\w-]+)/g)).toEqual(all(/(--_[\w-]+):/g))
})

/** The rules of an item's styles after a production build of Vite, for the browsers of its default. */
async function rulesOf(name: ItemName): Promise<string[]> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, rolldownOptions: { input: `registry/items/${name}.css` } },
  })
  const { output } = result as Rollup.RollupOutput
  const css = output.find(({ fileName }) => fileName.endsWith('.css'))
  return css?.type === 'asset' ? (String(css.source).match(/[^{}]+\{[^{}]+\}/g) ?? []) : []
}

it.each(names)('a build leaves the colours of %s to the page, if that has no color-scheme', async (name) => {
  const rules = await rulesOf(name)
  expect(rules.length).toBeGreaterThan(3)
  // It replaces light-dark() by two properties, which it sets where it finds a color-scheme.
  const replaced = rules.filter((rule) => /var\(--lightningcss/.test(rule) && !/color-scheme/.test(rule))
  expect(replaced).toEqual([])
  // It replaces :dir() by the languages that are written from the right. The page may say dir alone.
  expect(rules.filter((rule) => /:lang\(/.test(rule))).toEqual([])
})

it.each(names)('%s has its borders and outlines also in a browser without light-dark()', (name) => {
  // An unknown colour makes the whole border invalid.
  expect(readItem(name, 'css').match(/(?:border|outline)[\w-]*: .*(?:solid|dotted) var\([^,]*\)/g)).toBeNull()
})

it.each(names)('%s has one class of its own, in which all its styles stand', (name) => {
  const roots = readItem(name, 'css').match(/^[^\s/}].*\{$/gm) ?? []
  expect(roots[0]).toBe(`.stagepass-${name} {`)
  // An animation cannot be inside a rule.
  const others = roots.slice(1)
  expect(others.filter((line) => !line.startsWith(`@keyframes stagepass-${name}`))).toEqual([])
})

it.each(names)('%s says which keys it takes, if it has something to press', (name) => {
  const { keys } = ITEMS[name] as { readonly keys?: object }
  const takesKeys = /<(?:button|select|input|textarea|summary)|onKey/.test(readItem(name, 'tsx'))
  expect(keys !== undefined).toBe(takesKeys)
})
