/** Parts of the recording, in seconds, each after a pause. */
const PARTS = [
  { from: 0, to: 3.2, pause: 0.5 },
  { from: 3.2, to: 6, pause: 7 },
  { from: 6, to: 9.8, pause: 9 },
]
/** Between the end of the talk and its beginning again. */
const LAST_PAUSE = 12

/**
 * The recording with pauses, again and again, as the sound of a microphone. Call it in a handler of a press.
 */
export function openRecordedTalk() {
  const context = new AudioContext()
  const output = new MediaStreamAudioDestinationNode(context)

  async function speak(): Promise<void> {
    const response = await fetch('/recordings/sense-and-sensibility.wav')
    const buffer = await context.decodeAudioData(await response.arrayBuffer())
    const length = PARTS.reduce((sum, { from, to, pause }) => sum + pause + to - from, LAST_PAUSE)
    const talk = context.createBuffer(1, Math.ceil(length * buffer.sampleRate), buffer.sampleRate)
    let at = 0
    for (const { from, to, pause } of PARTS) {
      at += pause
      const part = buffer.getChannelData(0).subarray(from * buffer.sampleRate, to * buffer.sampleRate)
      talk.copyToChannel(part, 0, Math.round(at * buffer.sampleRate))
      at += to - from
    }
    const source = new AudioBufferSourceNode(context, { buffer: talk, loop: true })
    source.connect(output)
    source.start()
  }

  // Without the recording the microphone is silent, and nothing is paid.
  speak().catch(() => undefined)
  return { stream: output.stream, close: (): void => void context.close().catch(() => undefined) }
}
