import type { EmulatorCore } from '../core/EmulatorCore.js'
import type { RunLater } from './createTasks.js'
import type { Wire } from './createWire.js'

/** The voice service in the page, for the BFF and the WebSockets of the page. */
export interface Service {
  readonly core: EmulatorCore
  /** Its only address. */
  readonly host: string
  readonly isClosed: boolean
  readonly runLater: RunLater
  readonly wire: Wire
}

/** True if the service has this address. */
export function isServed({ host, isClosed }: Service, asked: string): boolean {
  return !isClosed && host === asked
}
