import { expect, it } from 'vitest'
import { isProduct, PRODUCT_NAMES, PRODUCTS } from './products.js'

it('holds the products of the contract, each with its path, scope and bounds', () => {
  expect(PRODUCTS).toEqual({
    stt: {
      name: 'Speech-to-Text',
      path: '/stt',
      usage_type: 'stt',
      ttlMinutes: { min: 5, max: 300, default: 180 },
    },
    tts: {
      name: 'Text-to-Speech',
      path: '/tts',
      usage_type: 'tts',
      ttlMinutes: { min: 5, max: 300, default: 180 },
    },
    viva: {
      name: 'Voice Isolation',
      path: '/voice-isolation',
      usage_type: 'viva',
      ttlMinutes: { min: 5, max: 300, default: 180 },
    },
    vt: {
      name: 'Voice Translation',
      path: '/vt',
      usage_type: 'vt',
      ttlMinutes: { min: 5, max: 1440, default: 180 },
    },
  })
})

it('keys every product by its usage_type', () => {
  expect(PRODUCT_NAMES.map((product) => PRODUCTS[product].usage_type)).toEqual([...PRODUCT_NAMES])
  expect(Object.keys(PRODUCTS)).toEqual([...PRODUCT_NAMES])
})

it.each(['STT', '', '__proto__', 'constructor', 'voice-isolation', null, undefined, 1, ['stt']])(
  'refuses %j as a product',
  (value) => {
    expect(isProduct(value)).toBe(false)
  },
)
