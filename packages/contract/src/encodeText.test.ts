import { expect, it } from 'vitest'
import { encodeText, wellFormed } from './encodeText.js'

it.each([
  ['x\ud83d', 'x%EF%BF%BD'],
  ['\ude00x', '%EF%BF%BDx'],
  ['\ude00\ud83d', '%EF%BF%BD%EF%BF%BD'],
  ['😀', '%F0%9F%98%80'],
  ['a b/ä', 'a%20b%2F%C3%A4'],
  ['', ''],
])('encodes %j', (text, encoded) => {
  expect(encodeText(text)).toBe(encoded)
  expect(decodeURIComponent(encoded)).toBe(wellFormed(text))
})
