import type { UseSessionTokenResult } from '@stagepass/react'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { formatClock } from '../ui/format.js'
import { Ring } from '../ui/Ring.js'
import { useTick } from '../ui/useTick.js'

interface TokenLineProps {
  readonly token: UseSessionTokenResult
  readonly wanted: boolean
  /** The life that was asked for. */
  readonly lifeMs: number
}

/** The life of the product's session token: never the token. */
export function TokenLine({ token, wanted, lifeMs }: TokenLineProps): ReactNode {
  const alive = wanted && token.status === 'success'
  useTick(1_000, alive)
  const renewsInMs = alive ? token.renewsInMs() : 0
  const [asking, setAsking] = useState(false)

  async function renew(): Promise<void> {
    setAsking(true)
    await token.renew()
    setAsking(false)
  }

  return (
    <div className="token">
      <Ring share={renewsInMs / lifeMs} />
      <p className="numbers">
        {alive ? `Token renews in ${formatClock(renewsInMs)}` : 'No token yet'}
        <small>
          {alive
            ? `Until ${token.expiresAt.toLocaleTimeString('en', { hour12: false })}, in memory alone`
            : 'One is fetched when you connect.'}
        </small>
      </p>
      {alive && (
        <button className="button quiet" disabled={asking} onClick={() => void renew()}>
          {asking ? 'Renewing…' : 'Renew now'}
        </button>
      )}
    </div>
  )
}
