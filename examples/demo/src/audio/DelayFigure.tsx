import type { ReactNode } from 'react'
import { useTick } from '../ui/useTick.js'

interface DelayFigureProps {
  /** Which sound, for a screen reader. On the screen the figure stands beside its controls. */
  readonly of: string
  readonly latencyMs: () => number
}

/** How late sound is. Read once a second, because it changes all the time. */
export function DelayFigure({ of, latencyMs }: DelayFigureProps): ReactNode {
  useTick(1_000, true)
  return (
    <span className="delay numbers" title={`Delay of the ${of}`}>
      Delay <span className="unseen">of the {of}: </span>
      {Math.round(latencyMs())} ms
    </span>
  )
}
