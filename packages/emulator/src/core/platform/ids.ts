import { createRandom } from './random.js'

/** Creates ids. Each call returns a new one. */
export interface IdSource {
  /** `req_id` of the token endpoint. */
  reqId?: (() => string) | undefined
  /** `session_key`. It may contain only letters, digits and `-._~+/=`, because it is sent in a header. */
  sessionKey?: (() => string) | undefined
}

export type Ids = ReturnType<typeof createIds>

/** The ids of the emulator: those of the option `ids`, or running numbers and random texts from the seed. */
export function createIds({ reqId, sessionKey }: IdSource, seed: number) {
  const random = createRandom(seed)
  let reqIds = 0

  return {
    nextReqId: reqId ?? (() => `00000000-0000-4000-8000-${String((reqIds += 1)).padStart(12, '0')}`),
    nextSessionKey: sessionKey ?? (() => `st_${random.text(40)}`),
    reset(): void {
      reqIds = 0
      random.reset()
    },
  }
}
