import type { ReactNode } from 'react'

const RADIUS = 13
const AROUND = 2 * Math.PI * RADIUS

/** A ring that empties. The text beside it says the same, so it is drawn for sighted people alone. */
export function Ring({ share }: { readonly share: number }): ReactNode {
  return (
    <svg className="ring" aria-hidden="true" width="32" height="32" viewBox="0 0 32 32">
      <circle cx="16" cy="16" r={RADIUS} />
      {share > 0 && (
        <circle
          className="left"
          cx="16"
          cy="16"
          r={RADIUS}
          strokeDasharray={AROUND}
          strokeDashoffset={AROUND * (1 - Math.min(1, share))}
        />
      )}
    </svg>
  )
}
