import type { ComponentType } from 'react'
import { createListeners } from '../platform/createListeners.js'

/** Components without output of their own that `VoiceProvider` renders for parts of the package that need one. */
export interface HostSlot {
  readonly shown: () => readonly ComponentType[]
  readonly subscribe: (listener: () => void) => () => void
  /** Renders the component from now on, once however often it is called. */
  show(component: ComponentType): void
}

/**
 * A part of the client (`client.part(createHostSlot)`). The provider renders the slot and does not import the components in it, so an
 * application without streams does not contain the stream code.
 */
export function createHostSlot(): HostSlot {
  let shown: readonly ComponentType[] = []
  const { subscribe, notify } = createListeners()
  return {
    shown: () => shown,
    subscribe,
    show(component) {
      if (shown.includes(component)) return
      shown = [...shown, component]
      notify()
    },
  }
}
