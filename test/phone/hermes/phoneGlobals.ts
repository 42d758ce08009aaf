import { AbortController, AbortSignal } from 'abort-controller'
import { URLSearchParams } from 'react-native/Libraries/Blob/URLSearchParams'
import { clock } from './clock.js'

/*
 * What an application finds in React Native beside the engine: `window` without a document, its own
 * AbortController and URLSearchParams, timers. And what its Hermes has and the older Hermes of this test has
 * not: `at`, `toSorted`, `Promise.allSettled`, WeakRef.
 */

declare const console: unknown

clock.install()
Math.random = () => 0.5

Object.assign(globalThis, {
  global: globalThis,
  window: globalThis,
  AbortController,
  AbortSignal,
  URLSearchParams,
  navigator: { product: 'ReactNative' },
  ...(typeof console === 'undefined' && { console: { error() {}, warn() {}, log() {}, assert() {} } }),
  ...(typeof WeakRef === 'undefined' && {
    WeakRef: class {
      readonly #target: object
      constructor(target: object) {
        this.#target = target
      }
      deref(): object {
        return this.#target
      }
    },
  }),
})

function addMissing(
  prototype: object,
  methods: Readonly<Record<string, (...args: never[]) => unknown>>,
): void {
  for (const [name, value] of Object.entries(methods))
    if (!(name in prototype))
      Object.defineProperty(prototype, name, { value, writable: true, configurable: true })
}

addMissing(Array.prototype, {
  at(this: unknown[], index: number) {
    return this[index < 0 ? this.length + index : index]
  },
  toSorted(this: unknown[], compare?: (a: unknown, b: unknown) => number) {
    // oxlint-disable-next-line unicorn/no-array-sort -- This makes toSorted.
    return [...this].sort(compare)
  },
})
