import { perClient } from '../identity/perClient.js'

/** A recording that is sent again by a stream. Its sound is on the disk already. */
export interface Replay {
  /** So many samples of it need not be kept any longer. */
  readonly released: (samples: number) => void
  /** Where its sound begins in the journal of the stream. */
  position?: number
  /** The stream has dropped sound that was not final: the recording stays from there on. */
  isCut?: boolean
}

/** The recordings that are sent again now, by the stream that sends them. */
export const replaysOf = perClient(() => {
  const replays = new Map<string, Replay>()
  return {
    get: (product: string, key: string): Replay | undefined => replays.get(`${product} ${key}`),
    /** Returns a function that ends it. */
    begin(product: string, key: string, replay: Replay): () => void {
      replays.set(`${product} ${key}`, replay)
      return () => void replays.delete(`${product} ${key}`)
    },
  }
})
