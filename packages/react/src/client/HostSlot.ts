import type { ComponentType } from 'react'

/** Components without output of their own that `VoiceProvider` renders for parts of the package that need one. */
export interface HostSlot {
  readonly shown: () => readonly ComponentType[]
  readonly subscribe: (listener: () => void) => () => void
  /** Renders the component from now on, once however often it is asked for. */
  show(component: ComponentType): void
}

/**
 * A part of the client (`client.part(createHostSlot)`). The provider knows the slot and not who fills it, so that an application without
 * streams does not carry them.
 */
export function createHostSlot(): HostSlot {
  let shown: readonly ComponentType[] = []
  const listeners = new Set<() => void>()
  return {
    shown: () => shown,
    subscribe(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
    show(component) {
      if (shown.includes(component)) return
      shown = [...shown, component]
      for (const listener of listeners) listener()
    },
  }
}
