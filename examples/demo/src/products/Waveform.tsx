import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react'

/** Time of one bar. */
const BAR_MS = 60
/** About seven seconds. Then the drawing starts again at the left, so that nothing moves sideways. */
const BARS = 120
/** Half of the height. */
const HALF = 50

interface WaveformProps {
  /** Draws while this is true. */
  readonly isOn: boolean
  /** The loudest sent and received samples since the last call, 0 to 1. */
  readonly look: () => readonly [sent: number, received: number]
}

/** Shows sent sound above the line and received sound below it. Drawn without React renders. */
export function Waveform({ isOn, look }: WaveformProps): ReactNode {
  const sentRef = useRef<SVGPathElement>(null)
  const receivedRef = useRef<SVGPathElement>(null)
  const bars = useRef<(readonly [number, number])[]>([])
  const draw = useEffectEvent(() => {
    if (bars.current.length === BARS) bars.current = []
    bars.current.push(look())
    sentRef.current?.setAttribute('d', pathOf(bars.current.map(([sent]) => -sent)))
    receivedRef.current?.setAttribute('d', pathOf(bars.current.map(([, received]) => received)))
  })
  useEffect(() => {
    if (!isOn) return undefined
    const timer = setInterval(draw, BAR_MS)
    return () => clearInterval(timer)
  }, [isOn])

  return (
    <figure className="waveform">
      <svg
        role="img"
        aria-label="Loudness of what was sent, and below it of what came back"
        viewBox={`0 ${-HALF} ${BARS} ${2 * HALF}`}
        preserveAspectRatio="none"
      >
        <path className="line" d={`M0 0h${BARS}`} />
        <path className="sent" ref={sentRef} />
        <path className="received" ref={receivedRef} />
      </svg>
      <figcaption>
        <span className="sent">Above: before</span>
        <span className="received">Below: after</span>
      </figcaption>
    </figure>
  )
}

/** The square root makes quiet speech visible. */
const pathOf = (levels: readonly number[]): string =>
  levels
    .map(
      (level, index) =>
        `M${index + 0.5} 0v${(Math.sign(level) * Math.sqrt(Math.abs(level)) * HALF).toFixed(1)}`,
    )
    .join('')

/** Loudest sample of PCM16, 0 to 1. */
export function loudest(pcm: ArrayBuffer): number {
  let most = 0
  for (const sample of new Int16Array(pcm)) most = Math.max(most, Math.abs(sample))
  return most / 0x8000
}
