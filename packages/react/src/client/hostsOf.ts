import type { ComponentType } from 'react'
import { createListeners } from '../platform/createListeners.js'
import { perClient } from './perClient.js'

/**
 * Components without visible output that `VoiceProvider` renders for a client. The provider does not import
 * them, so an application without streams does not contain the stream code.
 */
export const hostsOf = perClient(() => {
  let shown: readonly ComponentType[] = []
  const { subscribe, notify } = createListeners()
  return {
    shown: (): readonly ComponentType[] => shown,
    subscribe,
    /** Renders the component from now on. A second call with the same component does nothing. */
    show(component: ComponentType): void {
      if (shown.includes(component)) return
      shown = [...shown, component]
      notify()
    },
  }
})
