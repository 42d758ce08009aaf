import { createPlayer } from './createPlayer.js'

/*
 * The modules of this folder run on the audio thread. scripts/embedWorklets.ts writes them into one plain
 * file for each processor, so that a page with a strict Content-Security-Policy can load it from its own
 * origin (no blob:, no data:).
 *
 * The processor keeps the samples that wait to be heard, and converts them from the sender's rate to the
 * device's with one filter, whose position continues from chunk to chunk. The sender's clock and the device's
 * always differ a little, so it plays slightly faster or slower, depending on how much waits.
 */

/** Frames of the device between two reports while something is heard or waits. */
const REPORT_FRAMES = 2_048

/**
 * `processorOptions` are `{ sampleRate, cushionMs, maxBufferedMs }`. A message to it is `{ samples }` (an
 * ArrayBuffer of 16-bit samples), `{ volume, paused }`, `'interrupt'` or `'endOfSpeech'`. It posts a report
 * when sound begins or ends, and every `REPORT_FRAMES` while it is heard or waits: without reports the page
 * replaces the context.
 */
class PlaybackProcessor extends AudioWorkletProcessor {
  constructor({ processorOptions }) {
    super()
    const { sampleRate: fromRate, cushionMs, maxBufferedMs } = processorOptions
    // One second more, because reports arrive late.
    const capacity = 2 ** Math.ceil(Math.log2((maxBufferedMs / 1_000 + 1) * fromRate))
    const player = createPlayer({ fromRate, toRate: sampleRate, cushionMs, capacity })
    this.player = player
    // The first report says that the audio thread runs.
    this.unreported = REPORT_FRAMES
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it also starts the port
    this.port.onmessage = ({ data }) => {
      if (data === 'interrupt') player.interrupt()
      else if (data === 'endOfSpeech') player.endOfSpeech()
      else if (data.samples) {
        player.give(new Int16Array(data.samples))
        this.unreported = Math.max(0, this.unreported)
      } else {
        player.setVolume(data.volume)
        player.setPaused(data.paused)
      }
    }
  }

  process(_inputs, [[block, ...others]]) {
    const changed = this.player.render(block)
    for (const other of others) other.set(block)
    this.unreported += block.length
    if (changed || this.unreported >= REPORT_FRAMES) {
      const report = this.player.report()
      this.unreported = report.playing || this.player.isWaiting() ? 0 : -Infinity
      this.port.postMessage({ ...report, time: currentTime }, [])
    }
    return true
  }
}

registerProcessor('stagepass-playback', PlaybackProcessor)
