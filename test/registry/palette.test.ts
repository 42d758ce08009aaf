import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { itemNames, readItem } from '../../registry/build.js'

/** Name and colours of `var(--stagepass-name, light-dark(one, other))`. */
const COLOUR = /var\(--stagepass-([\w-]+), (light-dark\([^)]+\))\)/g

const palette = itemNames().flatMap((name) =>
  [...readItem(name, 'css').matchAll(COLOUR)].map(([, of = '', colours = '']) => `${of}: ${colours}`),
)

it('all components have one palette', () => {
  const names = [...new Set(palette)].map((line) => line.split(':')[0])
  expect(names.length).toBeGreaterThanOrEqual(8)
  expect(names).toEqual([...new Set(names)])
})

it.each(['docs/.vitepress/theme/palette.css', 'examples/playground/src/playground.css'])(
  '%s has the colours of the components',
  (file) => {
    const css = readFileSync(file, 'utf8')
    const colours = new Set(palette.map((line) => line.split(': ')[1] ?? ''))
    expect([...colours].filter((one) => !css.includes(one))).toEqual([])
  },
)
