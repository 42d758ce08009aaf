import type { Product } from '@stagepass/contract'
import { PRODUCTS } from '@stagepass/contract'
import type { ReactNode } from 'react'
import { useId } from 'react'
import type { DemoUser } from '../users/users.js'
import { DEMO_USER_IDS, DEMO_USERS } from '../users/users.js'
import type { DemoProduct } from './demoProducts.js'

interface LockedPanelProps extends Pick<DemoProduct, 'product' | 'purpose'> {
  readonly user: DemoUser
}

/** A product that the user may not use: why, and who may. The server refuses it too. */
export function LockedPanel({ product, purpose, user }: LockedPanelProps): ReactNode {
  const titleId = useId()
  const others = DEMO_USER_IDS.filter((id) =>
    (DEMO_USERS[id].products as readonly Product[]).includes(product),
  )
  return (
    <section className="card panel locked" aria-labelledby={titleId} data-product={product}>
      <header className="panel-head">
        <div>
          <h3 id={titleId}>{PRODUCTS[product].name}</h3>
          <p>{purpose}</p>
        </div>
        <p className="status">Not allowed</p>
      </header>
      <p className="reason">
        {DEMO_USERS[user].name} may not use this product.{' '}
        {others.length > 0 && `Change to ${others.map((id) => DEMO_USERS[id].name).join(' or ')} to try it.`}
      </p>
    </section>
  )
}
