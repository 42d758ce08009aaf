import { createMicrophone, createPlayback, FRAME_MS } from '@stagepass/react/audio'

/* Clicks through the real worklets, timed by the one clock that pages and audio threads share. `run.ts` calls these functions. */

const FRAME = (16_000 * FRAME_MS) / 1_000
const LOUD = 0.2

const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const DETECTOR = `registerProcessor('detector', class extends AudioWorkletProcessor {
  process([[block]]) {
    const index = block ? block.findIndex((sample) => Math.abs(sample) > ${LOUD}) : -1
    if (index >= 0) this.port.postMessage(Date.now())
    return true
  }
})`

/** A node that tells when a click is rendered. */
async function detect(context: AudioContext, onClick: (atMs: number) => void): Promise<AudioNode> {
  await context.audioWorklet.addModule(`data:text/javascript,${encodeURIComponent(DETECTOR)}`)
  const detector = new AudioWorkletNode(context, 'detector', { numberOfOutputs: 0 })
  detector.port.addEventListener('message', ({ data }: MessageEvent<number>) => onClick(data))
  detector.port.start()
  return detector
}

/** From a click at the microphone to the call of `onFrame` with it. */
async function clickToFrame(count: number): Promise<number[]> {
  const source = new AudioContext()
  const device = source.createMediaStreamDestination()
  navigator.mediaDevices.getUserMedia = () => Promise.resolve(device.stream)
  const microphone = createMicrophone()
  await source.resume()
  let isClicked: (at: number) => void = () => {}
  const detector = await detect(source, (at) => isClicked(at))
  await microphone.start()

  const delays: number[] = []
  for (let click = 0; click < count; click += 1) {
    // Not in step with the frames.
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
    delays.push((await heard) - (await clicked))
  }
  microphone.stop()
  return delays
}

/** From the call of `play` with a click, in a live sound of one frame every 20 ms, to the click at the output of the worklet. */
async function frameToClick(count: number, cushionMs: number): Promise<number[]> {
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
  const player = await made
  window.AudioWorkletNode = Plain
  const context = player.context as AudioContext
  let isHeard: (at: number) => void = () => {}
  player.connect(await detect(context, (at) => isHeard(at)))

  const delays: number[] = []
  const startedAt = performance.now()
  let waiting: Promise<void> | undefined
  for (let frame = 0; delays.length < count; frame += 1) {
    await passed(Math.max(0, startedAt + frame * FRAME_MS - performance.now()))
    const samples = new Int16Array(FRAME)
    if (frame % 25 === 24 && !waiting) {
      samples.fill(0x7000, 0, 80)
      const givenAt = Date.now()
      waiting = new Promise<number>((resolve) => (isHeard = resolve)).then((at) => {
        delays.push(at - givenAt)
        waiting = undefined
        isHeard = () => {}
      })
    }
    playback.play(samples)
  }
  const { underruns } = playback.counters()
  if (underruns > 0) throw new Error(`${underruns} underruns`)
  playback.close()
  return delays
}

Object.assign(window, { bench: { clickToFrame, frameToClick } })
