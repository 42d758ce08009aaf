import { type Product, type ProductUsage, PRODUCT_NAMES } from '@stagepass/contract'
import type { QueryClient } from '@tanstack/react-query'
import type { Client } from '../client/Client.js'
import type { TimerHandle } from '../platform/platform.js'
import { createUsageSlot } from '../token/createUsageSlot.js'
import { VoiceError } from '../VoiceError.js'
import type { TodaysUsage, UsageNumbers } from './usageNumbers.js'

export type Usage = ReturnType<typeof createUsage>

const TICK_MS = 1_000

/** The minutes as the BFF has counted them, and as this page goes on to use them. A part of the client. */
export function createUsage(client: Client) {
  const { platform, request } = client
  const slot = client.part(createUsageSlot)
  const productsOf = (product: Product | undefined): readonly Product[] =>
    product === undefined ? PRODUCT_NAMES : [product]

  return {
    /** Asks the BFF. Rejects with a `VoiceError`. */
    get: async (cancelled: AbortSignal): Promise<TodaysUsage> =>
      readUsage(await request({ route: '/usage', signal: cancelled })),
    /**
     * Keeps the query of this key as the BFF counts, and renders while a stream is open. Returns its undo.
     */
    watch(
      queryClient: QueryClient,
      queryKey: readonly unknown[],
      product: Product | undefined,
      render: () => void,
    ): () => void {
      const isOpen = (name: Product): boolean => (slot.used?.(name).open ?? 0) > 0
      let timer: TimerHandle | undefined
      const tick = (): void => {
        timer = platform.setTimeout(() => {
          if (productsOf(product).some(isOpen)) render()
          tick()
        }, TICK_MS)
      }
      tick()
      const undos = [
        slot.answers.subscribe((answer) => void queryClient.setQueryData(queryKey, readUsage(answer))),
        slot.tokens.subscribe(({ receipt }, isNew) => {
          if (isNew && receipt) void queryClient.invalidateQueries({ queryKey })
        }),
        () => platform.clearTimeout(timer),
      ]
      // Data from a cache that was restored may have come before this code.
      render()
      return () => undos.forEach((undo) => undo())
    },
    /** The numbers of a product, or of all together, with what this page has used and not yet reported. */
    numbers(usage: TodaysUsage, product: Product | undefined): UsageNumbers | undefined {
      const rows = productsOf(product).flatMap((name) => {
        const row = usage[name]
        return row ? [withUsed(row, Math.round(slot.used?.(name).usedMs ?? 0))] : []
      })
      const [first] = rows
      if (!first) return undefined
      const sum = (of: (row: ProductUsage) => number): number =>
        rows.reduce((total, row) => total + of(row), 0)
      return {
        usedMs: sum(({ used_ms }) => used_ms),
        reservedMs: sum(({ reserved_ms }) => reserved_ms),
        limitMs: rows.some(({ limit_ms }) => limit_ms === null) ? null : sum(({ limit_ms }) => limit_ms ?? 0),
        resetsAt: new Date(first.resets_at),
      }
    },
  }
}

/** What this page has used of what is reserved, before it has reported it. */
function withUsed(row: ProductUsage, usedMs: number): ProductUsage {
  const moved = Math.min(usedMs, row.reserved_ms)
  return { ...row, used_ms: row.used_ms + moved, reserved_ms: row.reserved_ms - moved }
}

const isCount = (value: unknown): value is number => typeof value === 'number' && value >= 0

/** Reads an answer of `/usage`. Throws a `VoiceError`. */
function readUsage({ usage }: Readonly<Record<string, unknown>>): TodaysUsage {
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
