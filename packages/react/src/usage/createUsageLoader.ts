import type { Client } from '../client/Client.js'
import { queryKey } from '../client/queryKey.js'
import { asVoiceError } from '../VoiceError.js'
import type * as usageCode from './createUsage.js'

/** The code that reads what was used and what is left. */
type UsageCode = Pick<typeof usageCode, 'createUsage'>

/**
 * That code is a chunk of its own, which `useUsage` alone loads. A part of the client.
 */
export function createUsageLoader(
  client: Client,
  load: () => UsageCode | Promise<UsageCode> = () => import('./createUsage.js'),
) {
  let usage: usageCode.Usage | undefined
  return {
    key: queryKey(client, { usage: 'today' }),
    /** Undefined until it is loaded. */
    present: () => usage,
    /** Rejects with a `VoiceError`; the next call tries again. */
    load: async (): Promise<usageCode.Usage> => {
      try {
        return (usage = client.part((await load()).createUsage))
      } catch (thrown) {
        throw asVoiceError(thrown)
      }
    },
  }
}
