import type { Segment, TranscriptBlock } from './Segment.js'

/**
 * Small enough for the layout of a block in one frame, and large enough for an hour in a few hundred blocks.
 */
const BLOCK_LENGTH = 100

/** Divides the segments into blocks. A previous block with the same segments is used again. */
export function blocksOf(
  segments: readonly Segment[],
  before: readonly TranscriptBlock[],
): readonly TranscriptBlock[] {
  const blocks: TranscriptBlock[] = []
  let oldIndex = 0
  for (let start = 0, end = 0; start < segments.length; start = end) {
    const key = keyOf(segments[start])
    while (end < segments.length && keyOf(segments[end]) === key) end += 1
    while ((before[oldIndex]?.key ?? Infinity) < key) oldIndex += 1
    const old = before[oldIndex]
    const block = { key, segments: segments.slice(start, end) }
    blocks.push(old && isSame(old, block) ? old : block)
  }
  return blocks
}

/**
 * Keys of segments ascend, and do not change when older segments are dropped, so a segment stays in its
 * block.
 */
const keyOf = (segment: Segment | undefined): number => Math.floor((segment?.key ?? 0) / BLOCK_LENGTH)

const isSame = (one: TranscriptBlock, other: TranscriptBlock): boolean =>
  one.key === other.key &&
  one.segments.length === other.segments.length &&
  one.segments.every((segment, index) => segment === other.segments[index])
