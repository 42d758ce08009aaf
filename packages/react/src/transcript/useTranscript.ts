'use client'

import { useCallback, useInsertionEffect, useRef } from 'react'
import { sayUnknown } from '../errors/sayUnknown.js'
import { useClient } from '../identity/useClient.js'
import { useFrameValue } from '../stream/useFrameValue.js'
import type { Subscribable } from '../stream/useStreamValue.js'
import { addTexts, EMPTY, type HeardText, type TranscriptState } from './addTexts.js'
import { readText } from './readText.js'
import type { Segment, TranscriptBlock, TranscriptText } from './Segment.js'

/** Options of `useTranscript`. */
export interface UseTranscriptOptions<TMessage> {
  /**
   * Returns the text in a message, or nothing. May be an inline function. A text that is not a string counts as
   * nothing, and any other field of a wrong type as left out.
   */
  readonly select: (message: TMessage) => TranscriptText | null | undefined
  /**
   * Most segments that are kept; the oldest are dropped first. Default 10,000: an hour has a few thousand.
   */
  readonly keep?: number | undefined
}

/** The result of `useTranscript`. */
export interface UseTranscriptResult {
  /** Ordered by their first text. A new list after each change. */
  readonly segments: readonly Segment[]
  /**
   * The same segments in blocks of at most 100, to show thousands: render each block by a component in
   * `memo`, with the style `content-visibility: auto`. A block is the same object until a segment in it
   * changes.
   */
  readonly blocks: readonly TranscriptBlock[]
  /** Number of dropped segments, if there were more than `keep`. */
  readonly dropped: number
}

/**
 * The transcript of a stream since the component was mounted. A text that may still grow is replaced by the
 * next one. A final text stays, unless a final text with the same id corrects it. An empty text removes one
 * that may still grow. When the connection is lost, the segments stay, and times continue: those of a later
 * connection count from the start of the first one. If it gets sound again (`resend`), words that are final
 * already are left out of its texts. Renders at most once in an animation frame, and not for
 * messages without a text. When the user of the `VoiceProvider` changes, it is empty.
 *
 * @example
 * const { segments } = useTranscript(stream, { select: selectText })
 * return segments.map(({ key, text, language }) => <p key={key} lang={language}>{text}</p>)
 */
export function useTranscript<TMessage>(
  stream: Subscribable<TMessage>,
  options: UseTranscriptOptions<TMessage>,
): UseTranscriptResult {
  const { select, keep = 10_000 } = options
  const { said } = useClient()
  if (process.env.NODE_ENV !== 'production')
    sayUnknown(said, 'useTranscript does not know the option', options, { select: true, keep: true })
  const latest = useRef(select)
  useInsertionEffect(() => {
    latest.current = select
  })
  const { subscribe } = stream
  const listen = useCallback(
    (add: (text: HeardText) => void) =>
      subscribe((message, source) => {
        const text = readText(latest.current(message))
        if (text) add({ ...text, source })
      }),
    [subscribe],
  )
  const { segments, blocks, dropped } =
    useFrameValue(listen, (texts: readonly HeardText[], before: TranscriptState = EMPTY) =>
      addTexts(before, texts, keep),
    ) ?? EMPTY
  return { segments, blocks, dropped }
}
