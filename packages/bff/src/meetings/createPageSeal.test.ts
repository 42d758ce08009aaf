import { expect, it } from 'vitest'
import { createPageSeal, deriveKey } from './createPageSeal.js'

const SECRET = 'a secret of the host, 32 characters'
const NAME = 'stagepass:{main}:page:one'
const seal = createPageSeal(SECRET)
const PAGE = '{"meetings":[{"id":"1","title":"Würfel 🎲"}]}'

it('S41 opens what it has sealed, and so does another instance with the secret', () => {
  const sealed = seal.seal(NAME, PAGE)
  expect(createPageSeal(SECRET).open(NAME, sealed)).toBe(PAGE)
  expect(seal.open(NAME, seal.seal(NAME, ''))).toBe('')
})

it('S41 hides the page, and never seals it the same way twice', () => {
  const [one, two] = [seal.seal(NAME, PAGE), seal.seal(NAME, PAGE)]
  expect(one).not.toBe(two)
  expect(Buffer.from(one, 'base64').includes('meetings')).toBe(false)
})

it('S41 a page with any bit changed does not open', () => {
  const bytes = Buffer.from(seal.seal(NAME, PAGE), 'base64')
  for (let bit = 0; bit < 8 * bytes.length; bit += 1) {
    const changed = Buffer.from(bytes)
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect(seal.open(NAME, changed.toString('base64'))).toBeUndefined()
  }
})

it('S41 a page that was cut or made longer does not open', () => {
  const sealed = seal.seal(NAME, PAGE)
  for (let length = 0; length < sealed.length; length += 1)
    expect(seal.open(NAME, sealed.slice(0, length))).toBeUndefined()
  for (const more of ['!', 'AAAA', '\n', ' '])
    expect([seal.open(NAME, sealed + more), seal.open(NAME, more + sealed)]).toEqual([undefined, undefined])
})

it('S41 a page under another name or another secret does not open', () => {
  const sealed = seal.seal(NAME, PAGE)
  expect(seal.open('stagepass:{main}:page:two', sealed)).toBeUndefined()
  expect(seal.open('stagepass:{other}:page:one', sealed)).toBeUndefined()
  expect(createPageSeal(`${SECRET}!`).open(NAME, sealed)).toBeUndefined()
})

it('S41 the key of the names says nothing about the key of the contents', () => {
  expect(deriveKey(SECRET, 'page names')).not.toEqual(deriveKey(SECRET, 'page contents'))
  expect(deriveKey(SECRET, 'page names')).toHaveLength(32)
})
