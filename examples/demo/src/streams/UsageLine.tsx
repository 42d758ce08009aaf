import type { Product } from '@stagepass/contract'
import { useUsage } from '@stagepass/react'
import type { ReactNode } from 'react'
import { formatClock } from '../ui/format.js'
import { Ring } from '../ui/Ring.js'

/** What is left of the user's minutes, if they have a limit. */
export function UsageLine({ product }: { readonly product: Product }): ReactNode {
  const { usedMs, limitMs, resetsAt } = useUsage(product)
  if (usedMs === undefined || resetsAt === undefined || typeof limitMs !== 'number') return null
  const time = resetsAt.toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  return (
    <div className="token">
      <Ring share={1 - usedMs / limitMs} />
      <p className="numbers">
        {formatClock(usedMs)} of {formatClock(limitMs)} used today
        <small>New minutes at {time}</small>
      </p>
    </div>
  )
}
