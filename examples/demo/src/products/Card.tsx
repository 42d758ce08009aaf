import { type Product, PRODUCTS } from '@stagepass/contract'
import type { UseStreamResult } from '@stagepass/react'
import { UsageMeter } from '@stagepass/registry/usage-meter'
import { type ReactNode, useId } from 'react'

const STATUS: Readonly<Record<UseStreamResult<never, never>['status'], string>> = {
  idle: 'Not connected',
  connecting: 'Connecting',
  queued: 'Waiting for a free session',
  open: 'Connected',
  reconnecting: 'Reconnecting',
  closed: 'Not connected',
  failed: 'Failed',
}

interface CardProps {
  readonly product: Product
  /** The purpose of the product, in a sentence. */
  readonly purpose: string
  readonly stream: Pick<UseStreamResult<never, unknown>, 'status' | 'failureReason'>
  readonly children: ReactNode
}

/** The frame of a product: its purpose, the status of its stream, and its minutes. */
export function Card({ product, purpose, stream, children }: CardProps): ReactNode {
  const id = useId()
  const { name } = PRODUCTS[product]
  const { status, failureReason } = stream
  return (
    <article className="card product" data-product={product} aria-labelledby={id}>
      <header>
        <h2 id={id}>{name}</h2>
        {/* Screen readers announce each change. */}
        <span className="status" data-status={status} role="status">
          <span className="unseen">{name}: </span>
          {STATUS[status]}
          {failureReason && <code> {failureReason.code}</code>}
        </span>
        <p className="purpose">{purpose}</p>
      </header>
      {children}
      <UsageMeter product={product} label={`Minutes of ${name} today`} />
    </article>
  )
}
