import { createRequire } from 'node:module'
import { inject } from 'vitest'
import { createNativeModules } from './nativeModules.js'

interface ReactNative {
  readonly AppState: { readonly currentState: string | null }
  readonly deviceEvents: { emit(name: string, event: unknown): void }
}

/*
 * React Native's own JavaScript above native modules made of Node. Loaded once in a worker, by CommonJS, as its
 * sources expect. `bundleReactNative.ts` has made the file.
 */
const found = globalThis as {
  __turboModuleProxy?: (name: string) => object | undefined
  nativeModuleProxy?: object
  __DEV__?: boolean
}

/** The native side: what was sent, and the background. */
export const native = createNativeModules((name, event) => reactNative.deviceEvents.emit(name, event))

found.__turboModuleProxy = native.find
found.nativeModuleProxy = {}
found.__DEV__ = false
const reactNative = createRequire(import.meta.url)(inject('reactNative')) as ReactNative &
  Record<string, unknown>

/** The global object of an application on a phone. It has no document. */
export const phone: typeof globalThis = Object.assign(Object.create(globalThis), reactNative, {
  document: undefined,
  DOMException: undefined,
  location: undefined,
  navigator: { product: 'ReactNative' },
})
Object.assign(phone, { window: phone, self: phone })

export const { AppState } = reactNative
