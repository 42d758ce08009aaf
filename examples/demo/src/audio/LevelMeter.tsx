import type { ReactNode } from 'react'
import { useEffect, useRef } from 'react'

/** How loud the microphone is. Moved outside React, once a painted frame. */
export function LevelMeter({ level }: { readonly level: () => number }): ReactNode {
  const barRef = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let frame = 0
    const paint = (): void => {
      if (barRef.current) barRef.current.style.transform = `scaleX(${Math.sqrt(level())})`
      frame = requestAnimationFrame(paint)
    }
    paint()
    return () => cancelAnimationFrame(frame)
  }, [level])
  return (
    <div className="meter" aria-hidden="true">
      <div ref={barRef} />
    </div>
  )
}
