import type { Product } from '@stagepass/contract'
import { useUsage } from '@stagepass/react'
import type { ReactNode } from 'react'
import { formatClock } from '../ui/format.js'

/** What is left of the user's minutes, if they have a limit. */
export function UsageLine({ product }: { readonly product: Product }): ReactNode {
  const { usedMs, limitMs, resetsAt } = useUsage(product)
  if (usedMs === undefined || resetsAt === undefined || typeof limitMs !== 'number') return null
  const time = resetsAt.toLocaleTimeString('en', { hour12: false })
  return (
    <p className="numbers">
      {formatClock(usedMs)} of {formatClock(limitMs)} used today
      <small>New minutes at {time}</small>
    </p>
  )
}
