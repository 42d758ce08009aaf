import { useState } from 'react'
import type { WaveLane } from './createWaveLane.js'
import { createWaveLane } from './createWaveLane.js'

/** Both directions of a stream's sound. */
export interface Waves {
  readonly sent: WaveLane
  readonly received: WaveLane
  addSent(samples: Int16Array): void
  addReceived(samples: Int16Array): void
  onAdd(listener: () => void): () => void
}

function createWaves(): Waves {
  const listeners = new Set<() => void>()
  const [sent, received] = [createWaveLane(), createWaveLane()]
  const add = (lane: WaveLane) => (samples: Int16Array) => {
    lane.add(samples, performance.now())
    for (const listener of listeners) listener()
  }
  return {
    sent,
    received,
    addSent: add(sent),
    addReceived: add(received),
    onAdd(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export function useWaves(): Waves {
  const [waves] = useState(createWaves)
  return waves
}
