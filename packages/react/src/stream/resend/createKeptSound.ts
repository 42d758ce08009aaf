import { createSpeechLevel } from '../../vitals/createSpeechLevel.js'

/** Length of a block: the unit of speech and quiet, and of what is sent again. */
export const BLOCK_MS = 20
const CHUNK_BLOCKS = 50
/** A quiet of this length is a pause between two utterances. */
const PAUSE_BLOCKS = 8
/** A shorter sound between two pauses, such as a click, is not an utterance. */
const UTTERANCE_BLOCKS = 3
/** If a frame comes this much too late, there is a gap before it, which is a pause too. */
const GAP_MS = 160
/** Gaps that are remembered, to tell when old sound was said. */
const MOST_GAPS = 1_000

interface Chunk {
  readonly pcm: Int16Array
  /** 1: the block is speech. */
  readonly speech: Uint8Array
}

/** A pause between two utterances, by position. */
export interface Pause {
  readonly from: number
  readonly to: number
}

/**
 * Sound that is kept: 16-bit PCM, mono, with what is heard in it by loudness alone: which of its blocks are
 * speech, where the pauses between utterances are, and when it was said. A position counts its samples from
 * the beginning, also of those that are dropped.
 */
export function createKeptSound(sampleRate: number) {
  const blockSamples = Math.round((sampleRate * BLOCK_MS) / 1_000)
  const chunkSamples = blockSamples * CHUNK_BLOCKS
  const msOf = (samples: number): number => (samples * 1_000) / sampleRate
  const blockAt = (position: number): number => Math.floor(position / blockSamples) * blockSamples

  let chunks: Chunk[] = []
  /** Number of the first chunk. */
  let first = 0
  let end = 0
  let lastPushAt = -Infinity
  /** In doubt a block is a word: noise would only be kept longer, but a word that counts as quiet is lost. */
  const isLoud = createSpeechLevel()
  /** Sum of the squared samples of the block that is not complete. */
  let power = 0
  /** End of the last block of speech, and of the last one that was not a click. */
  let speechEnd = 0
  let utteranceEnd = 0
  /** Blocks of speech since the last pause, and of quiet since the last speech. */
  let spoken = 0
  let quiet = 0
  /** Where frames did not follow each other. `isPause`: the next one came late. */
  let gaps: { readonly position: number; readonly saidAt: number; readonly isPause: boolean }[] = []

  function chunkAt(position: number): Chunk {
    const index = Math.floor(position / chunkSamples) - first
    while (chunks.length <= index)
      chunks.push({ pcm: new Int16Array(chunkSamples), speech: new Uint8Array(CHUNK_BLOCKS) })
    return chunks[index] as Chunk
  }

  /** True if the block that begins here is complete and quiet. */
  function isQuiet(block: number): boolean {
    if (block + blockSamples > end) return false
    return chunkAt(block).speech[(block % chunkSamples) / blockSamples] === 0
  }

  /** When this sound was said. */
  function saidAt(position: number): number {
    const gap = lastOf(gaps, (one) => one.position <= position) ?? gaps[0]
    return gap ? gap.saidAt + msOf(position - gap.position) : 0
  }

  /** The last block is complete. */
  function endBlock(): void {
    if (isLoud(power / blockSamples)) {
      const block = end - blockSamples
      chunkAt(block).speech[(block % chunkSamples) / blockSamples] = 1
      speechEnd = end
      spoken += 1
      quiet = 0
    } else {
      quiet += 1
      if (quiet === PAUSE_BLOCKS) endUtterance()
    }
    power = 0
  }

  function endUtterance(): void {
    if (spoken >= UTTERANCE_BLOCKS) utteranceEnd = speechEnd
    else speechEnd = utteranceEnd
    spoken = 0
  }

  return {
    blockSamples,
    blockAt,
    /** Samples of this time, and the time of samples. */
    samplesOf: (ms: number): number => Math.round((ms * sampleRate) / 1_000),
    msOf,
    end: (): number => end,
    /** End of the last word. */
    speechEnd: (): number => speechEnd,
    isQuiet,
    /** True if the block that begins here is complete and speech. */
    isWord: (block: number): boolean => block + blockSamples <= end && !isQuiet(block),
    saidAt,
    /** Time since the last word, or since the last frame. */
    quietMs: (now: number): number => Math.max(msOf(end - speechEnd), now - lastPushAt),
    /** Adds a frame, whose last sample was said at `now`. Its length in bytes is even. Returns when it began. */
    push(pcm: Uint8Array, now: number): number {
      const samples = pcm.byteLength / 2
      const began = now - msOf(samples)
      const late = gaps.length > 0 ? began - saidAt(end) : Infinity
      if (Math.abs(late) > GAP_MS) {
        gaps = [...gaps, { position: end, saidAt: began, isPause: late > 0 }].slice(-MOST_GAPS)
        if (late > 0) endUtterance()
      }
      lastPushAt = now
      for (let done = 0; done < samples;) {
        const { pcm: kept } = chunkAt(end)
        const within = end % chunkSamples
        const count = Math.min(samples - done, blockSamples - (end % blockSamples))
        new Uint8Array(kept.buffer, within * 2, count * 2).set(pcm.subarray(done * 2, (done + count) * 2))
        for (let index = within; index < within + count; index += 1) power += (kept[index] as number) ** 2
        done += count
        end += count
        if (end % blockSamples === 0) endBlock()
      }
      return began
    },
    /** The bytes between two positions of one block. */
    bytes: (from: number, to: number): Uint8Array =>
      new Uint8Array(chunkAt(from).pcm.buffer, (from % chunkSamples) * 2, (to - from) * 2),
    /** Drops the sound before this position. */
    drop(position: number): void {
      chunks.splice(0, Math.floor(position / chunkSamples) - first)
      first = Math.floor(position / chunkSamples)
    },
    /** Drops all sound. */
    clear(): void {
      chunks = []
      gaps = []
    },
    /** The position of the first word from this one on. */
    firstWord(from: number): number | undefined {
      for (let block = blockAt(from); block < speechEnd; block += blockSamples)
        if (!isQuiet(block)) return Math.max(block, from)
      return undefined
    },
    /** The pauses between utterances from a position to another one, in order. */
    pausesIn(begin: number, until: number, now: number): Pause[] {
      const found: { from: number; to: number }[] = []
      const lateOnes = gaps.filter(({ position, isPause }) => isPause && position > begin)
      let words = 0
      let silent = 0
      const pause = (from: number, to: number): void => {
        if (words >= UTTERANCE_BLOCKS) found.push({ from, to })
        words = silent = 0
      }
      for (let block = blockAt(begin); block + blockSamples <= until; block += blockSamples) {
        const to = block + blockSamples
        if (lateOnes[0] && lateOnes[0].position < to) pause(lateOnes[0].position, block)
        while (lateOnes[0] && lateOnes[0].position < to) lateOnes.shift()
        const last = found.at(-1)
        if (!isQuiet(block)) {
          words += 1
          silent = 0
        } else if (last?.to === block) last.to = to
        else if ((silent += 1) === PAUSE_BLOCKS) pause(to - PAUSE_BLOCKS * blockSamples, to)
      }
      // After the last frame there is a pause as well.
      if (until === end && now - lastPushAt > GAP_MS) pause(speechEnd, end)
      return found
    },
  }
}

/** `findLast`, which older browsers do not have. */
export function lastOf<TItem>(items: readonly TItem[], test: (item: TItem) => boolean): TItem | undefined {
  for (let index = items.length - 1; index >= 0; index -= 1)
    if (test(items[index] as TItem)) return items[index]
  return undefined
}
