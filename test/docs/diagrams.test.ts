import { expect, it } from 'vitest'
import { filesEndingIn, readText } from './repositoryFiles.js'

const diagrams = filesEndingIn(/\.svg$/, 'docs/images/')
const pages = filesEndingIn(/\.md$/)

it.each(diagrams)('%s has colours for both schemes, its own background, and a description', (path) => {
  const svg = readText(path)
  expect(svg).toContain('@media (prefers-color-scheme: dark)')
  // The diagram has its own background, because the reader may choose another scheme than the system's.
  expect(svg).toMatch(/<rect class="paper" width="(\d+)" height="(\d+)"/)
  expect(svg).toMatch(/<title id="title">.+<\/title>\s*<desc id="description">.+<\/desc>/)
  // On a phone, 342 pixels wide, a text of 13 pixels is then still 10 pixels high.
  expect(Number(/ width="(\d+)"/.exec(svg)?.[1])).toBeLessThanOrEqual(440)
  for (const [, colour] of svg.matchAll(/(?<!-)(?:fill|stroke): (?!var\(|none)([^;}\s]+)/g))
    expect.fail(`${path}: ${colour} is one colour for both schemes`)
})

it('every picture of a page has an alternative text', () => {
  const pictures = pages.flatMap((page) =>
    [...readText(page).matchAll(/!\[([^\]]*)\]\(|<img [^>]*?alt="([^"]*)"/g)].map(([, text, alt]) => ({
      page,
      text: text ?? alt ?? '',
    })),
  )
  expect(pictures.length).toBeGreaterThanOrEqual(3)
  expect(pictures.filter(({ text }) => text === '')).toEqual([])
})
