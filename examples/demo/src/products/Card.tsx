import { type Product, PRODUCTS } from '@stagepass/contract'
import { type UseStreamResult, useSessionToken } from '@stagepass/react'
import { UsageMeter } from '@stagepass/registry/usage-meter'
import { type ReactNode, useEffect, useState } from 'react'
import { Fold } from '../Fold.js'

const STATUS: Readonly<Record<UseStreamResult<never, never>['status'], string>> = {
  idle: 'Not connected',
  connecting: 'Connecting',
  open: 'Connected',
  reconnecting: 'Reconnecting',
  closed: 'Disconnected',
  failed: 'Failed',
}

interface CardProps {
  readonly product: Product
  /** The purpose of the product, in a sentence. */
  readonly purpose: string
  readonly stream: Pick<UseStreamResult<never, unknown>, 'status' | 'failureReason'>
  readonly onDisconnect: () => void
  readonly children: ReactNode
}

/** The frame of a product: its purpose, the status of its stream, its token and its minutes. */
export function Card({ product, purpose, stream, onDisconnect, children }: CardProps): ReactNode {
  const { name } = PRODUCTS[product]
  const { status, failureReason } = stream
  const isOn = status === 'connecting' || status === 'open' || status === 'reconnecting'
  // Screen readers announce each change.
  const state = (
    <span className="status" data-status={status} role="status">
      <span className="unseen">{name}: </span>
      {STATUS[status]}
      {failureReason && <code> {failureReason.code}</code>}
    </span>
  )
  return (
    <div data-product={product}>
      <Fold title={name} purpose={purpose} state={state} isFirst={product === 'stt'}>
        {children}
        {isOn && <Connection product={product} stream={stream} onDisconnect={onDisconnect} />}
        <UsageMeter product={product} label={`Minutes of ${name} today`} />
      </Fold>
    </div>
  )
}

type ConnectionProps = Pick<CardProps, 'product' | 'stream' | 'onDisconnect'>

/** The remaining life of the session token, and errors that may pass. It never shows the token. */
function Connection({ product, stream, onDisconnect }: ConnectionProps): ReactNode {
  const { name } = PRODUCTS[product]
  const token = useSessionToken(product)
  const failure = stream.failureReason ?? token.failureReason
  const [isAsking, setIsAsking] = useState(false)
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 1_000)
    return () => clearInterval(timer)
  }, [])

  async function renew(): Promise<void> {
    setIsAsking(true)
    await token.renew()
    setIsAsking(false)
  }

  return (
    <div className="connection">
      {failure ? (
        <p role={failure.retryable ? undefined : 'alert'}>
          {failure.message} <code>{failure.code}</code>
        </p>
      ) : (
        <p>
          {token.isSuccess ? `Token renews in ${formatClock(token.renewsInMs())}` : 'Waiting for a token'}
        </p>
      )}
      <div className="row">
        <button
          className="button"
          aria-label={`Renew now, ${name}`}
          disabled={isAsking || !token.isSuccess}
          onClick={() => void renew()}
        >
          {isAsking ? 'Renewing…' : 'Renew now'}
        </button>
        <button className="button" aria-label={`Disconnect, ${name}`} onClick={onDisconnect}>
          Disconnect
        </button>
      </div>
    </div>
  )
}

/** `4:05`. */
function formatClock(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
