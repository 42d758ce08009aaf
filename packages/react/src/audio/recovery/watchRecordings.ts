import type { Product } from '@stagepass/contract'
import { onAbort } from '../../events/onAbort.js'
import type { Client } from '../../identity/Client.js'
import { vaultOf } from '../../recordings/createVault.js'
import { LEAST_MS, lockOf, type Recording } from '../../recordings/Recording.js'
import type { RecoveredRecording } from './RecoveredRecording.js'
import { sendRecording } from './sendRecording.js'
import { wavOf } from './wavOf.js'

/** Safari reads the address of a download later than its click. */
const URL_LIFE_MS = 60_000

/** Shows the recordings of a product, now and at each change, until `ended`. */
export async function watchRecordings(
  client: Client,
  product: Product,
  show: (recordings: readonly RecoveredRecording[]) => void,
  ended: AbortSignal,
): Promise<void> {
  const vault = vaultOf(client)
  if (!vault) return
  let round = 0

  /** Does something with a recording that no other page records or sends. */
  const alone = async (id: string, act: () => Promise<void>): Promise<void> => {
    try {
      await navigator.locks.request(lockOf(id), { ifAvailable: true }, async (lock) => {
        if (lock) await act()
      })
    } finally {
      vault.changed()
    }
  }

  const download = async (recording: Recording): Promise<void> => {
    const parts: Int16Array<ArrayBuffer>[] = []
    for await (const part of vault.read(recording)) parts.push(part)
    const link = document.createElement('a')
    link.href = URL.createObjectURL(wavOf(parts, recording.sampleRate))
    link.download = `${product}-${new Date(recording.startedAt).toISOString().slice(0, 19).replaceAll(':', '-')}.wav`
    link.click()
    client.platform.setTimeout(() => URL.revokeObjectURL(link.href), URL_LIFE_MS)
  }

  const refresh = async (): Promise<void> => {
    const own = (round += 1)
    const found: RecoveredRecording[] = []
    for (const recording of await vault.list(product)) {
      const { id, sampleRate } = recording
      const range = await vault.rangeOf(recording)
      const durationMs = range ? Math.round(((range.to - range.from) * 1_000) / sampleRate) : 0
      if (!range || durationMs < LEAST_MS) continue
      found.push({
        startedAt: new Date(range.saidAt),
        durationMs,
        send: () =>
          alone(id, () => {
            vault.changed()
            return sendRecording(client, vault, recording)
          }),
        download: () => download(recording),
        discard: () => alone(id, () => vault.remove(id)),
      })
    }
    if (own === round && !ended.aborted) show(found)
  }

  const look = (): void => void refresh().catch(() => {})
  const stops = [vault.subscribe(look), client.platform.onWake(look)]
  onAbort(ended, () => stops.forEach((stop) => stop()))
  await refresh()
}
