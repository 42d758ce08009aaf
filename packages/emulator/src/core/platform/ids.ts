import { createRandom } from './random.js'

/** Makes ids. Each call gives a new one. */
export interface IdSource {
  /** `req_id` of the token endpoint. */
  reqId?: (() => string) | undefined
  /** `session_key`; letters, digits and `-._~+/=` alone can stand in a header. */
  sessionKey?: (() => string) | undefined
}

export type Ids = ReturnType<typeof createIds>

/**
 * The ids that the emulator gives out: those of the option `ids`, or numbered and random ones that the seed
 * decides.
 */
export function createIds({ reqId, sessionKey }: IdSource, seed: number) {
  const random = createRandom(seed)
  let reqIds = 0

  return {
    nextReqId: reqId ?? (() => `req_${String((reqIds += 1)).padStart(8, '0')}`),
    nextSessionKey: sessionKey ?? (() => `st_${random.text(40)}`),
    reset(): void {
      reqIds = 0
      random.reset()
    },
  }
}
