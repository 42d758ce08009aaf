import type { ReactNode } from 'react'
import type { Gauges } from './useDemoFeed.js'

const SAVED_BY: Readonly<Record<string, string>> = {
  shared: 'Saved by sharing',
  cached: 'Saved by the cache',
}

/** The account's budget of meetings requests, and the emulator's sockets. */
export function GaugePanel({ gauges }: { readonly gauges: Gauges | undefined }): ReactNode {
  if (!gauges) return <p className="drawer-body hint">The figures are updated twice a second.</p>
  const { budget, sockets } = gauges
  const { used, limit, waiting, frozenMs, saved } = budget
  return (
    <div className="drawer-body gauges">
      <h3>Meetings budget of the account</h3>
      <p className="hint">25 requests in any 5 seconds, shared by all users and all servers.</p>
      <meter max={limit} value={used} high={limit * 0.8} aria-label="Requests used of the last 5 seconds" />
      <dl>
        <Figure name="Used" value={`${used} of ${limit}`} />
        <Figure name="Waiting" value={waiting} />
        <Figure
          name="Paused after a 429"
          value={frozenMs > 0 ? `${(frozenMs / 1_000).toFixed(1)} s` : 'no'}
        />
        {Object.entries(saved).map(([by, count]) => (
          <Figure key={by} name={SAVED_BY[by] ?? `Saved: ${by}`} value={count} />
        ))}
      </dl>
      {sockets && <h3>Open sockets at the emulator</h3>}
      {sockets?.length === 0 && <p className="hint">None.</p>}
      <dl>
        {sockets?.map(({ id, product, received, sent }) => (
          <Figure
            key={id}
            name={`${product} · ${id}`}
            value={`${received.text + received.binary} in, ${sent.text + sent.binary} out`}
          />
        ))}
      </dl>
    </div>
  )
}

function Figure({ name, value }: { readonly name: string; readonly value: string | number }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
