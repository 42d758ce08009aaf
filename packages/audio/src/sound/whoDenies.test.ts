import { afterEach, expect, it, vi } from 'vitest'
import { AudioError } from './AudioError.js'
import { whoDenies } from './whoDenies.js'

afterEach(() => {
  vi.unstubAllGlobals()
  Reflect.deleteProperty(document, 'featurePolicy')
})

const setPolicy = (isAllowed: boolean): void =>
  void Object.defineProperty(document, 'featurePolicy', {
    value: { allowsFeature: (feature: string) => isAllowed && feature === 'microphone' },
    configurable: true,
  })

/** The page is in a frame of this origin. Another one does not tell its address. */
function embedIn(origin: string): void {
  const parent: object = {
    get parent() {
      return parent
    },
    get location() {
      if (origin !== location.origin) throw new DOMException('', 'SecurityError')
      return { origin }
    },
  }
  vi.stubGlobal('parent', parent)
  vi.stubGlobal('window', { parent })
}

const errorOf = (): AudioError =>
  new AudioError('open the microphone', 'PERMISSION_DENIED', undefined, whoDenies('microphone'))

it('leaves a refusal to the user, if the browser says that the page may ask', () => {
  embedIn('https://shop.example')
  setPolicy(true)
  expect(errorOf()).toMatchObject({ deniedBy: undefined, hint: undefined })
  expect(errorOf().message).toContain('Allow it in the address bar')
})

it('leaves a refusal to the user in a page of its own, and in a frame of its own site, if the browser says nothing', () => {
  expect(whoDenies('microphone')).toBe(undefined)
  embedIn(location.origin)
  expect(whoDenies('microphone')).toBe(undefined)
})

it('does not promise that the page around denies it, if the browser does not say so', () => {
  embedIn('https://shop.example')
  const { message, hint, deniedBy } = errorOf()
  expect(deniedBy).toBe('frame')
  expect(message).toContain('Perhaps the page around this one does not allow it.')
  expect(hint).toContain('<iframe allow="microphone">')
})

it('blames a header in a frame of its own site, which needs no attribute', () => {
  embedIn(location.origin)
  setPolicy(false)
  expect(errorOf().deniedBy).toBe('header')
})

it('keeps hints out of production', () => {
  setPolicy(false)
  expect(errorOf().hint).toContain('microphone=(self)')
  vi.stubEnv('NODE_ENV', 'production')
  expect(errorOf().hint).toBe(undefined)
  vi.unstubAllEnvs()
})
