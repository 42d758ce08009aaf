import { type Product, PRODUCTS } from '@stagepass/contract'
import { tokenSource, useVoiceClient } from '@stagepass/react'
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import type { LineName, WireLog } from '../wire/createWireLog.js'
import { MASK } from '../wire/describe.js'
import { LINES } from '../wire/lines.js'
import type { Gauges } from '../wire/useDemoFeed.js'
import { type UserId, USERS } from '../users.js'
import { Line } from './Line.js'
import type { PageState, PageToken } from './usePageState.js'

interface PictureProps {
  readonly user: UserId
  readonly log: WireLog
  readonly gauges: Gauges
  readonly page: PageState
  /** Shows the rows of a line. */
  readonly onLine: (line: LineName) => void
}

/** Page, server and service: where the key is, where the tokens are, and what goes between them right now. */
export function Picture({ user, log, gauges, page, onLine }: PictureProps): ReactNode {
  const entries = useSyncExternalStore(log.subscribe, log.entries)
  const { tokens, streams } = page
  const sockets = gauges.sockets ?? []
  const { customer } = USERS[user]
  // Of the real service the demo has one key.
  const keyOf = gauges.upstream === 'emulator' ? customer : undefined
  const line = (name: LineName) => ({
    name,
    words: LINES[name].words,
    entries: entries.filter((entry) => entry.line === name),
    onPress: () => onLine(name),
  })
  const isLive = streams.size > 0
  const sum = (side: 'received' | 'sent'): number =>
    sockets.reduce((total, socket) => total + socket[side].text + socket[side].binary, 0)
  const figures = sockets.length > 0 ? `open: ${sum('received')} out, ${sum('sent')} back` : 'open'
  return (
    <figure className="picture" aria-label="Where the key is, and what goes over the wire">
      <div className="sides">
        <section className="side page" aria-label="This page">
          <h2>This page</h2>
          <p className="secret">
            <Key isThere={false} /> No key
          </p>
          {tokens.size === 0 && <p className="hint">No token yet</p>}
          {[...tokens].map(([product, token]) => (
            <Token
              key={product}
              product={product}
              token={token}
              isUsed={[...streams].some((stream) => stream.startsWith(`${product} `))}
            />
          ))}
        </section>
        <Line {...line('request')} />
        <section className="side server" aria-label="Your server">
          <h2>Your server</h2>
          <p className="secret">
            <Key isThere /> {keyOf ? `${keyOf}’s key` : 'API key'} <Mask />
          </p>
          <p className="hint">{keyOf ? 'It stays here, beside the others.' : 'It stays here.'}</p>
        </section>
        <Line {...line('upstream')} />
        <section className="side service" aria-label="Voice service">
          <h2>Voice service</h2>
          <p className="hint">
            {gauges.upstream === 'emulator' ? 'An emulator on this machine' : 'The real one'}
          </p>
          {gauges.sockets && (
            <p className="hint">
              {sockets.length === 1 ? '1 open socket' : `${sockets.length} open sockets`}
            </p>
          )}
        </section>
        <Line {...line('stream')} isLive={isLive} figures={isLive ? figures : undefined} />
      </div>
    </figure>
  )
}

interface TokenProps {
  readonly product: Product
  readonly token: PageToken
  /** A stream is open. Without one, nothing needs a new token. */
  readonly isUsed: boolean
}

/** A session token: masked, with the time that it has left. */
function Token({ product, token, isUsed }: TokenProps): ReactNode {
  const voice = useVoiceClient()
  const { name } = PRODUCTS[product]
  const [now, setNow] = useState(Date.now)
  const [isAsking, setIsAsking] = useState(false)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])

  async function renew(): Promise<void> {
    setIsAsking(true)
    // The client's events show a failure.
    await tokenSource(voice, product)
      .renew()
      .catch(() => undefined)
    setIsAsking(false)
  }

  return (
    <div className="token" data-token={product}>
      <p>
        Token <Mask />
        <br />
        {name}, <span className="left">{formatClock(token.endsAt - now)} left</span>
        {token.problem && <code className="problem"> {token.problem}</code>}
      </p>
      {isUsed && (
        <button
          className="small"
          aria-label={`Renew now, ${name}`}
          disabled={isAsking}
          onClick={() => void renew()}
        >
          {isAsking ? 'Renewing…' : 'Renew'}
        </button>
      )}
    </div>
  )
}

/** A key, or a key that is struck out. */
const Key = ({ isThere }: { readonly isThere: boolean }): ReactNode => (
  <svg className="key" aria-hidden="true" viewBox="0 0 20 20" width="20" height="20">
    <path d="M8 12a4 4 0 1 1 1.500-3.100L18 9v3h-2v2h-3v-2.500H9.200" />
    {!isThere && <path className="strike" d="M2 18 18 2" />}
  </svg>
)

const Mask = (): ReactNode => (
  <>
    <code aria-hidden="true">{MASK}</code>
    <span className="unseen">, masked</span>
  </>
)

/** `4:05`. */
function formatClock(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
