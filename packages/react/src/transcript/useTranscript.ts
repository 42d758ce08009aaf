'use client'

import { useCallback, useInsertionEffect, useRef } from 'react'
import { useFrameValue } from '../stream/useFrameValue.js'
import type { Subscribable } from '../stream/useStreamValue.js'
import { addTexts, EMPTY, type HeardText, type TranscriptState } from './addTexts.js'
import type { Segment, TranscriptText } from './Segment.js'

/** Second argument of `useTranscript`. */
export interface UseTranscriptOptions<TMessage> {
  /** The text in a message, or nothing. May be inline. */
  readonly select: (message: TMessage) => TranscriptText | null | undefined
  /** Most segments that are kept; the oldest go. Default 10,000: an hour has some thousand. */
  readonly keep?: number | undefined
}

/** What `useTranscript` returns. */
export interface UseTranscriptResult {
  /** In the order in which they began to come. A new list if something has changed. */
  readonly segments: readonly Segment[]
  /** How many went, because more than `keep` came. */
  readonly dropped: number
}

/**
 * The transcript of a stream, from the mount on. A text that grows replaces the one before; a final one
 * stays, unless a final one with the same id corrects it. An empty text takes back one that grows. When the
 * connection is lost, what was heard stays, and times go on: those of a later connection count from the start
 * of the first one. Renders at most once an animation frame, and not for messages without a text. When the
 * user of the `VoiceProvider` changes, it is empty.
 *
 * @example
 * const { segments } = useTranscript(stream, { select: selectText })
 * return segments.map(({ key, text, language }) => <p key={key} lang={language}>{text}</p>)
 */
export function useTranscript<TMessage>(
  stream: Subscribable<TMessage>,
  { select, keep = 10_000 }: UseTranscriptOptions<TMessage>,
): UseTranscriptResult {
  const latest = useRef(select)
  useInsertionEffect(() => {
    latest.current = select
  })
  const { subscribe } = stream
  const listen = useCallback(
    (add: (text: HeardText) => void) =>
      subscribe((message, source) => {
        const text = latest.current(message)
        if (text) add({ ...text, source })
      }),
    [subscribe],
  )
  const { segments, dropped } =
    useFrameValue(listen, (texts: readonly HeardText[], before: TranscriptState = EMPTY) =>
      addTexts(before, texts, keep),
    ) ?? EMPTY
  return { segments, dropped }
}
