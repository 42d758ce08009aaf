import { readFileSync } from 'node:fs'

/** Frames in one block of the audio thread. */
export const BLOCK = 128

export interface LoadedWorklet<TPosted> {
  /** The messages that the processor has posted. */
  readonly posted: TPosted[]
  /** Delivers a message to the processor. */
  readonly post: (message: unknown) => void
  /** Renders one block. Returns the output, which the next block overwrites. */
  readonly render: (input?: Float32Array) => Float32Array
  /** Seconds that were rendered. */
  readonly now: () => number
}

interface Port<TPosted> {
  onmessage?: (event: { data: unknown }) => void
  postMessage: (message: TPosted) => void
}

interface Processor<TPosted> {
  readonly port: Port<TPosted>
  process(
    inputs: readonly (readonly Float32Array[])[],
    outputs: readonly (readonly Float32Array[])[],
  ): boolean
}

type ProcessorClass<TPosted> = new (options: { processorOptions: object }) => Processor<TPosted>

/**
 * Runs a worklet's own file in a scope like the audio thread's, in virtual time: a block is rendered when the
 * test asks for it. Without an input the processor gets no channel, like a muted microphone in Firefox.
 */
export function loadWorklet<TPosted>(
  path: string,
  deviceRate: number,
  processorOptions: object,
): LoadedWorklet<TPosted> {
  const posted: TPosted[] = []
  const output = new Float32Array(BLOCK)
  let frames = 0
  let Registered: ProcessorClass<TPosted> | undefined
  class AudioWorkletProcessor {
    port: Port<TPosted> = { postMessage: (message) => posted.push(message) }
  }
  const register = (_name: string, processor: ProcessorClass<TPosted>) => (Registered = processor)
  // Only `currentTime` changes in that scope. A context of node:vm would be slower: it looks up `Math` for
  // each sample.
  const names = ['sampleRate', 'AudioWorkletProcessor', 'registerProcessor', 'clock']
  const source = readFileSync(path, 'utf8').replaceAll(/\bcurrentTime\b/g, 'clock.now()')
  // oxlint-disable-next-line no-implied-eval, no-new-func -- the file is no module that could be imported twice with other globals
  new Function(...names, source)(deviceRate, AudioWorkletProcessor, register, {
    now: () => frames / deviceRate,
  })
  const processor = new Registered!({ processorOptions })

  return {
    posted,
    post: (data) => processor.port.onmessage?.({ data }),
    render(input) {
      if (!processor.process([input ? [input] : []], [[output]])) throw new Error('The processor has ended.')
      frames += BLOCK
      return output
    },
    now: () => frames / deviceRate,
  }
}
