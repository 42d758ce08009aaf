import type { ComponentType } from 'react'
import { createListeners } from '../platform/createListeners.js'

/**
 * Components without output of their own that `VoiceProvider` renders for parts of the package that need one.
 * A part of the client (`client.part(createHostSlot)`): the provider does not import the components, so an
 * application without streams does not contain the stream code.
 */
export function createHostSlot() {
  let shown: readonly ComponentType[] = []
  const { subscribe, notify } = createListeners()
  return {
    shown: (): readonly ComponentType[] => shown,
    subscribe,
    /** Renders the component from now on, once however often it is called. */
    show(component: ComponentType): void {
      if (shown.includes(component)) return
      shown = [...shown, component]
      notify()
    },
  }
}
