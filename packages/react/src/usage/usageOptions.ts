import { type Product, type ProductUsage, PRODUCT_NAMES } from '@stagepass/contract'
import type { Client } from '../client/Client.js'
import { queryKey } from '../client/queryKey.js'
import { queryDefaults } from '../request/queryDefaults.js'
import { VoiceError } from '../VoiceError.js'

/** The minutes of today by product. Only products that are counted. */
export type Usage = { readonly [Name in Product]?: ProductUsage }

const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0

/** Reads an answer of `/usage`. Throws a `VoiceError`. */
export function readUsage({ usage }: Readonly<Record<string, unknown>>): Usage {
  if (typeof usage !== 'object' || usage === null) throw new VoiceError('MALFORMED_RESPONSE')
  const read: { [Name in Product]?: ProductUsage } = {}
  for (const product of PRODUCT_NAMES) {
    const row = (usage as Readonly<Record<string, Partial<ProductUsage> | undefined>>)[product]
    if (row === undefined) continue
    const { used_ms, reserved_ms, limit_ms = null, resets_at } = row
    const isGood = isCount(used_ms) && isCount(reserved_ms) && (limit_ms === null || isCount(limit_ms))
    if (!isGood || Number.isNaN(Date.parse(String(resets_at)))) throw new VoiceError('MALFORMED_RESPONSE')
    read[product] = { used_ms, reserved_ms, limit_ms, resets_at: String(resets_at) }
  }
  return read
}

export const usageKey = (client: Client): readonly unknown[] => queryKey(client, { usage: 'today' })

/** Asked once; after that the page knows by itself what changes. */
export const usageOptionsOf = (client: Client) => ({
  queryKey: usageKey(client),
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Usage> =>
    readUsage(await client.request({ route: '/usage', signal })),
  staleTime: Infinity,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  ...queryDefaults(client),
})
