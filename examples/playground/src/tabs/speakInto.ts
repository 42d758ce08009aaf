import type { SendData } from '@stagepass/react'

const SAMPLE_RATE = 16_000
const FRAME_MS = 100
/** A sentence of the emulator. */
const SPOKEN_MS = 3_600
const SILENT_MS = 800

/**
 * Sends a tone for one sentence and then silence, at the pace of speech: 16-bit PCM, 16 kHz, mono. `onEnd` is
 * called after the last of it. Returns a function that stops it.
 */
export function speakInto(stream: { send(data: SendData): unknown }, onEnd?: () => void): () => void {
  let sentMs = 0
  const timer = setInterval(() => {
    const frame = new Int16Array((SAMPLE_RATE * FRAME_MS) / 1_000)
    if (sentMs < SPOKEN_MS)
      for (let at = 0; at < frame.length; at += 1)
        frame[at] = 8_000 * Math.sin((at * 2 * Math.PI * 220) / SAMPLE_RATE)
    stream.send(frame.buffer)
    sentMs += FRAME_MS
    if (sentMs < SPOKEN_MS + SILENT_MS) return
    clearInterval(timer)
    onEnd?.()
  }, FRAME_MS)
  return () => clearInterval(timer)
}
