import type { Product } from '@stagepass/contract'
import type { ReactNode } from 'react'
import { MeetingsExplorer } from '../meetings/MeetingsExplorer.js'
import type { DemoState } from '../state/useDemoState.js'
import { DEMO_PRODUCTS } from '../streams/demoProducts.js'
import { LockedPanel } from '../streams/LockedPanel.js'
import { StreamPanel } from '../streams/StreamPanel.js'
import type { DemoUser } from '../users/users.js'
import { DEMO_USERS } from '../users/users.js'

interface WorkplaceProps {
  readonly user: DemoUser
  readonly demo: DemoState | undefined
  /** The products that are connected. They stay so for the next user, if a user follows another directly. */
  readonly wanted: ReadonlySet<Product>
  readonly onWanted: (product: Product, wanted: boolean) => void
}

/** What a signed-in user has: four streams and the meetings. */
export function Workplace({ user, demo, wanted, onWanted }: WorkplaceProps): ReactNode {
  const products: readonly Product[] = DEMO_USERS[user].products
  const mayUse = (product: Product): boolean => products.includes(product)

  return (
    <>
      <div className="intro">
        <h1>Realtime voice, and no key on the page</h1>
        <p>
          Each stream below opens on a session token that this page fetched from its own server, holds in
          memory and renews ahead of time. The API key never leaves the server.
        </p>
      </div>
      <section aria-labelledby="streams-title">
        <header className="section-head">
          <h2 id="streams-title">Streams</h2>
          <p>Four products, a token and a socket each.</p>
        </header>
        <div className="panels">
          {DEMO_PRODUCTS.map((product) =>
            mayUse(product.product) ? (
              // By the user too: a panel holds sound, a microphone and words that were typed.
              <StreamPanel
                key={`${user} ${product.product}`}
                {...product}
                wanted={wanted.has(product.product)}
                onWanted={(connected) => onWanted(product.product, connected)}
              />
            ) : (
              <LockedPanel key={product.product} {...product} user={user} />
            ),
          )}
        </div>
      </section>
      <MeetingsExplorer key={user} demo={demo} />
    </>
  )
}
