import { mistake } from '../../errors/mistake.js'
import { VoiceError } from '../../errors/VoiceError.js'
import { throwIfAborted } from '../../events/throwIfAborted.js'
import type { Client } from '../../identity/Client.js'
import type { Vault } from '../../recordings/createVault.js'
import { LEAST_MS, type Recording } from '../../recordings/Recording.js'
import { type Replay, replaysOf } from '../../recordings/replaysOf.js'
import { streamsOf } from '../../stream/streamsOf.js'

const LOOK_MS = 100
/** The stream gets this much ahead of what it has sent. */
const AHEAD_MS = 2_000
/** This much silence ends a sentence. */
const SILENCE_MS = 1_000
/** The longest wait for the last text. */
const LAST_TEXT_MS = 10_000

const OVER = ['idle', 'closed', 'failed']

/** Sends a recording on its stream, at the pace of the stream, and deletes what becomes final. */
export async function sendRecording(client: Client, vault: Vault, recording: Recording): Promise<void> {
  const { platform, signal } = client
  const { id, product, key, sampleRate, seam } = recording
  const stream = streamsOf(client).of(product, key)
  if (!OVER.includes(stream.snapshot().status)) throw mistake('sendInUse', product)
  if (!stream.isUsed()) throw mistake('sendUnused', product)
  const moves: Promise<void>[] = []
  let finalTo = seam
  const replay: Replay = {
    released(samples) {
      finalTo = seam + samples
      moves.push(vault.write(id, [], { ...recording, seam: finalTo }))
    },
  }
  const endReplay = replaysOf(client).begin(product, key, replay)
  const { dropped } = stream.stats()
  let loss: VoiceError | undefined
  const unwatch = stream.watch(() => (loss = stream.snapshot().failureReason ?? loss))
  const leave = stream.join({ enabled: false, settings: () => ({}) })

  const after = (ms: number): Promise<void> =>
    new Promise((resolve) => void platform.setTimeout(() => resolve(), ms))

  /** Waits until the stream has sent all but this. */
  async function untilBehind(ms: number): Promise<void> {
    for (;;) {
      throwIfAborted(signal)
      const { status, error } = stream.snapshot()
      if (OVER.includes(status)) throw error ?? new VoiceError('ABORTED', { retryable: true })
      if (stream.stats().behindMs <= ms) return
      await after(LOOK_MS)
    }
  }

  try {
    stream.open()
    for await (const pcm of vault.read(recording)) {
      await untilBehind(AHEAD_MS)
      stream.send(pcm)
    }
    stream.send(new Int16Array((SILENCE_MS * sampleRate) / 1_000))
    await untilBehind(0)
    const hasLastText = await stream.finish(LAST_TEXT_MS)
    throwIfAborted(signal)
    const { error } = stream.snapshot()
    if (error) throw error
    await Promise.all(moves)
    const rest = await vault.rangeOf({ ...recording, seam: finalTo })
    const isRest = rest && rest.to - rest.from >= (LEAST_MS * sampleRate) / 1_000
    // Without the option `persist` nothing tells what became final: one connection must have got everything.
    const isHeard = hasLastText && !loss && stream.stats().dropped === dropped
    if (replay.position === undefined ? isHeard : !isRest) await vault.remove(id)
    else if (loss) throw loss
  } finally {
    unwatch()
    endReplay()
    leave()
  }
}
