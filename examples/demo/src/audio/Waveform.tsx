import type { ReactNode } from 'react'
import { useEffect, useRef } from 'react'
import { BAR_MS } from './createWaveLane.js'
import { drawWave } from './drawWave.js'
import type { Waves } from './useWaves.js'

/** How long a bar takes across the widest panel, after which nothing is left to draw. */
const ACROSS_MS = 15_000

/** The sound of a stream. Painted outside React: a frame of audio costs no render. */
export function Waveform({ waves, label }: { readonly waves: Waves; readonly label: string }): ReactNode {
  const canvasRef = useRef<HTMLCanvasElement>(null)

  useEffect(() => {
    const canvas = canvasRef.current
    if (!canvas) return undefined
    let timer: ReturnType<typeof setInterval> | undefined

    const draw = (): void => {
      const now = performance.now()
      drawWave(canvas, waves.sent, waves.received, now)
      if (now - Math.max(waves.sent.endsAtMs, waves.received.endsAtMs) > ACROSS_MS) sleep()
    }
    const wake = (): void => {
      timer ??= setInterval(draw, BAR_MS)
    }
    const sleep = (): void => {
      clearInterval(timer)
      timer = undefined
    }

    const resized = new ResizeObserver(draw)
    resized.observe(canvas)
    const recoloured = new MutationObserver(draw)
    recoloured.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    const unsubscribe = waves.onAdd(wake)
    return () => {
      unsubscribe()
      resized.disconnect()
      recoloured.disconnect()
      sleep()
    }
  }, [waves])

  return (
    <figure className="wave" aria-label={label}>
      <canvas ref={canvasRef} aria-hidden="true" />
    </figure>
  )
}
