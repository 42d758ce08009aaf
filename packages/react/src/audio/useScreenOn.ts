import { useEffect } from 'react'
import { keepScreenOn } from './keepScreenOn.js'

/**
 * Keeps the screen on while a session is wanted. `undefined`: on devices that are used with a finger, because
 * a phone that goes dark gives the page no more sound.
 */
export function useScreenOn(option: boolean | undefined, isHeard: boolean): void {
  useEffect(() => {
    // jsdom has no media queries.
    if (isHeard && (option ?? globalThis.matchMedia?.('(pointer: coarse)').matches)) return keepScreenOn()
    return undefined
  }, [option, isHeard])
}
