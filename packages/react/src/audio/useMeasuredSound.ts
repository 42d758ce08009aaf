import type { Product } from '@stagepass/contract'
import { useEffect } from 'react'
import type { Client } from '../identity/Client.js'
import type { UseMicrophoneResult } from './useMicrophone.js'

/** Tells how long the microphone of a session gave no sound, for the figures of the page. */
export function useMeasuredSound(
  { moments, platform }: Client,
  product: Product,
  key: string,
  status: UseMicrophoneResult['status'],
): void {
  const isStill = status === 'recovering'
  useEffect(() => {
    if (!isStill) return undefined
    const since = platform.now()
    return () => moments.notify({ type: 'standstill', product, key, ms: platform.now() - since })
  }, [isStill, moments, platform, product, key])
}
