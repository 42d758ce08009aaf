import { createMicrophone, createPlayback, FRAME_MS } from '@stagepass/audio'

/*
 * Sends clicks through the real worklets, timed by the clock that pages and audio threads share, and reports
 * the delays to `run.ts`. A click counts from the time at which it is rendered. An engine that renders many
 * blocks at once renders it earlier than it can be heard.
 */

/** The page's report. Delays in ms. */
export type Measured =
  | {
      readonly clickToFrame: readonly number[]
      readonly frameToClick: readonly number[]
      /**
       * Number of times that the playback ran out of samples, because the page or the audio thread was late.
       */
      readonly underruns: number
    }
  | { readonly error: string }

const FRAME = (16_000 * FRAME_MS) / 1_000
const LOUD = 0.2
/** The longest wait for one click, or for a device. */
const LONGEST_WAIT_MS = 5_000

const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Rejects, with the name of the step, if the promise takes too long. */
function within<TValue>(what: string, promise: Promise<TValue>): Promise<TValue> {
  const limit = passed(LONGEST_WAIT_MS).then(() => {
    throw new Error(`Failed to measure: ${what} did not come within ${LONGEST_WAIT_MS} ms.`)
  })
  return Promise.race([promise, limit])
}

const DETECTOR = `registerProcessor('detector', class extends AudioWorkletProcessor {
  process([[block]]) {
    const index = block ? block.findIndex((sample) => Math.abs(sample) > ${LOUD}) : -1
    if (index >= 0) this.port.postMessage(Date.now())
    return true
  }
})`

/** A node that reports when a click is rendered. */
async function detect(context: AudioContext, onClick: (atMs: number) => void): Promise<AudioNode> {
  await context.audioWorklet.addModule(`data:text/javascript,${encodeURIComponent(DETECTOR)}`)
  const detector = new AudioWorkletNode(context, 'detector', { numberOfOutputs: 0 })
  detector.port.addEventListener('message', ({ data }: MessageEvent<number>) => onClick(data))
  detector.port.start()
  return detector
}

/** Time from a click at the microphone to the call of `onFrame` with it. */
async function clickToFrame(count: number): Promise<number[]> {
  const source = new AudioContext()
  const device = source.createMediaStreamDestination()
  // In Chromium a destination stays silent if it had no input when its stream was first used.
  const hum = new ConstantSourceNode(source, { offset: 0.001 })
  hum.connect(device)
  hum.start()
  navigator.mediaDevices.getUserMedia = () => Promise.resolve(device.stream)
  const microphone = createMicrophone()
  await within('a running audio context', source.resume())
  let isClicked: (at: number) => void = () => {}
  const detector = await detect(source, (at) => isClicked(at))
  await within('the first frame', microphone.start())
  if (microphone.state.status === 'failed') throw microphone.state.error

  const delays: number[] = []
  for (let click = 0; click < count; click += 1) {
    // Random, so that clicks are not in phase with the frames.
    await passed(150 + Math.random() * 50)
    const buffer = source.createBuffer(1, 480, source.sampleRate)
    buffer.getChannelData(0).fill(0.9)
    const node = new AudioBufferSourceNode(source, { buffer })
    node.connect(device)
    const clicked = new Promise<number>((resolve) => (isClicked = resolve))
    const heard = new Promise<number>((resolve) => {
      const undo = microphone.onFrame((frame) => {
        if (!new Int16Array(frame).some((sample) => Math.abs(sample) > LOUD * 0x8000)) return
        undo()
        resolve(Date.now())
      })
    })
    node.connect(detector)
    node.start()
    delays.push(
      (await within(`the frame with click ${click}`, heard)) - (await within(`click ${click}`, clicked)),
    )
  }
  microphone.stop()
  await source.close()
  return delays
}

/**
 * Time from the call of `play` with a click to the click at the output of the worklet, in live sound of one
 * frame every 20 ms.
 */
async function frameToClick(
  count: number,
  cushionMs: number,
): Promise<{ delays: number[]; underruns: number }> {
  const Plain = AudioWorkletNode
  const made = new Promise<AudioNode>((resolve) => {
    window.AudioWorkletNode = class extends Plain {
      constructor(...options: ConstructorParameters<typeof Plain>) {
        super(...options)
        resolve(this)
      }
    }
  })
  const playback = createPlayback({ cushionMs })
  playback.unlock()
  const player = await within("the playback's worklet", made)
  window.AudioWorkletNode = Plain
  const context = player.context as AudioContext
  let isHeard: (at: number) => void = () => {}
  player.connect(await detect(context, (at) => isHeard(at)))

  const delays: number[] = []
  const startedAt = performance.now()
  let failure: unknown
  let waiting: Promise<void> | undefined
  for (let frame = 0; delays.length < count; frame += 1) {
    await passed(Math.max(0, startedAt + frame * FRAME_MS - performance.now()))
    if (failure !== undefined) throw failure
    const samples = new Int16Array(FRAME)
    if (frame % 25 === 24 && !waiting) {
      samples.fill(0x7000, 0, 80)
      const givenAt = Date.now()
      const heard = new Promise<number>((resolve) => (isHeard = resolve))
      waiting = within(`click ${delays.length} at the output`, heard).then(
        (at) => {
          delays.push(at - givenAt)
          waiting = undefined
          isHeard = () => {}
        },
        (thrown: unknown) => {
          failure = thrown
        },
      )
    }
    playback.play(samples)
  }
  const { underruns } = playback.counters()
  playback.close()
  return { delays, underruns }
}

async function measure(): Promise<Measured> {
  const wanted = new URLSearchParams(location.search)
  const count = Number(wanted.get('clicks'))
  try {
    const microphone = await clickToFrame(count)
    const { delays, underruns } = await frameToClick(count, Number(wanted.get('cushionMs')))
    return { clickToFrame: microphone, frameToClick: delays, underruns }
  } catch (error) {
    return { error: String(error) }
  }
}

await fetch('/measured', { method: 'POST', body: JSON.stringify(await measure()) })
