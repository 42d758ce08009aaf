import type { IdSource } from '../options.js'
import type { Random } from './random.js'
import { createRandom } from './random.js'

/** The ids that the emulator gives out: the caller's, or numbered and random ones that the seed decides. */
export interface Ids {
  readonly nextReqId: () => string
  readonly nextSessionKey: () => string
  reset(): void
}

export function createIds({ reqId, sessionKey }: IdSource, seed: number): Ids {
  let reqIds: number
  let random: Random
  const reset = (): void => {
    reqIds = 0
    random = createRandom(seed)
  }
  reset()

  return {
    nextReqId: reqId ?? (() => `req_${String((reqIds += 1)).padStart(8, '0')}`),
    nextSessionKey: sessionKey ?? (() => `st_${random.text(40)}`),
    reset,
  }
}
