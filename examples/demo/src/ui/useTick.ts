import { useEffect, useState } from 'react'

/** Renders the component once every `everyMs`, for something that counts down. */
export function useTick(everyMs: number, enabled: boolean): void {
  const [, setTick] = useState(0)
  useEffect(() => {
    if (!enabled) return undefined
    const timer = setInterval(() => setTick((tick) => tick + 1), everyMs)
    return () => clearInterval(timer)
  }, [everyMs, enabled])
}
