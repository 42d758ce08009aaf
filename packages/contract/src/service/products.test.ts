import { expect, it } from 'vitest'
import { isProduct, PRODUCT_NAMES, PRODUCTS } from './products.js'

it('holds the products of the contract, each with its path, scope and bounds', () => {
  const facts = Object.entries(PRODUCTS).map(([key, { name, path, usage_type, ttlMinutes }]) => {
    expect(usage_type).toBe(key)
    expect(ttlMinutes).toMatchObject({ min: 5, default: 180 })
    return [key, name, path, ttlMinutes.max]
  })
  expect(facts).toEqual([
    ['stt', 'Speech-to-Text', '/stt', 300],
    ['tts', 'Text-to-Speech', '/tts', 300],
    ['viva', 'Voice Isolation', '/voice-isolation', 300],
    ['vt', 'Voice Translation', '/vt', 1440],
  ])
  expect(Object.keys(PRODUCTS)).toEqual([...PRODUCT_NAMES])
})

it.each(['STT', '', '__proto__', 'constructor', 'voice-isolation', null, undefined, 1, ['stt']])(
  'refuses %j as a product',
  (value) => {
    expect(isProduct(value)).toBe(false)
  },
)
