import { createRequire } from 'node:module'
import { inject } from 'vitest'
import { createNativeModules } from './nativeModules.js'

interface ReactNative {
  readonly AppState: { readonly currentState: string | null }
  readonly deviceEvents: { emit(name: string, event: unknown): void }
}

/*
 * React Native's own JavaScript above native modules made of Node. Loaded once in a worker, by CommonJS, as
 * its sources expect. `bundleReactNative.ts` has made the file.
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
export const phone = Object.create(globalThis) as typeof globalThis

const globals = {
  ...reactNative,
  document: undefined,
  DOMException: undefined,
  location: undefined,
  navigator: { product: 'ReactNative' },
  window: phone,
  self: phone,
}
// Not by assignment, which would call the setters of Node's own globals.
for (const [name, value] of Object.entries(globals)) Object.defineProperty(phone, name, { value })

export const { AppState } = reactNative
