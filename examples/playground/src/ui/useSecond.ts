import { useEffect, useState } from 'react'

/** Returns the result of `read`, and reads again every second. */
export function useSecond<TValue>(read: () => TValue): TValue {
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 1_000)
    return () => clearInterval(timer)
  }, [])
  return read()
}
