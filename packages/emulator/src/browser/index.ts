/**
 * The voice service inside a page, for demos and tests of components.
 *
 * @module @stagepass/emulator/browser
 */
export {
  type BrowserEmulator,
  type BrowserEmulatorOptions,
  createBrowserEmulator,
} from './createBrowserEmulator.js'
export type { OpenSocket } from './createOpenSocket.js'
export type { PageServer } from './createPageFetch.js'
export type { WireEvent } from './createWire.js'
export * from '../core/faults/faults.js'
export type {
  Fault,
  FaultMatch,
  MalformedKind,
  MalformedOptions,
  RefuseOptions,
} from '../core/faults/Fault.js'
export type { EmulatorHandle } from '../core/EmulatorCore.js'
export type { CoreOptions } from '../core/options.js'
