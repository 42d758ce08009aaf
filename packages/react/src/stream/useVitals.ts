'use client'

import type { PageFigureName } from '@stagepass/contract'
import { useCallback } from 'react'
import { useClient } from '../identity/useClient.js'
import type { Note } from '../vitals/createMeter.js'
import { nameOfStream } from './streamNames.js'
import { useFrameValue } from './useFrameValue.js'

/** What the user feels of a stream, since the component was mounted. */
export interface StreamVitals {
  /** The last value of each figure, in milliseconds; the figures are those of docs/vitals.md. */
  readonly figures: { readonly [TName in PageFigureName]?: number }
  /** How many open connections were lost. */
  readonly drops: number
}

/** A chunk of its own, so that only pages that measure load it. */
const load = () => import('../vitals/metersOf.js')

const NONE: StreamVitals = { figures: {}, drops: 0 }

/**
 * The last figures of a stream, for a status line. It measures also without the option `vitals` of the voice
 * client, and sends nothing. The component renders when a figure changes. Its code is loaded with the first
 * component that uses it.
 *
 * @example
 * const { figures, drops } = useVitals(stream)
 * <small>{figures.firstText} ms, {drops} drops</small>
 */
export function useVitals(stream: {
  readonly send: (...data: never[]) => unknown
  readonly finish: unknown
}): StreamVitals {
  const client = useClient()
  const { product, key } = nameOfStream(stream) ?? {}
  const listen = useCallback(
    (add: (note: Note) => void) => {
      let stop: (() => void) | undefined
      let isOver = false
      // Without the code there are no figures.
      load().then(
        ({ metersOf }) => {
          if (isOver) return
          stop = metersOf(client).subscribe((note, ...name) => {
            if (name[0] === product && name[1] === key) add(note)
          })
        },
        () => {},
      )
      return () => {
        isOver = true
        stop?.()
      }
    },
    [client, product, key],
  )
  return useFrameValue(listen, afterNotes) ?? NONE
}

function afterNotes(notes: readonly Note[], previous: StreamVitals = NONE): StreamVitals {
  let { figures, drops } = previous
  for (const { figure, what } of notes) {
    if (figure) figures = { ...figures, [figure.name]: Math.round(figure.ms) }
    if (what === 'drop') drops += 1
  }
  return figures === previous.figures && drops === previous.drops ? previous : { figures, drops }
}
