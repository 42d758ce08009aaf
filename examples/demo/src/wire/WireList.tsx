import { type ReactNode, useSyncExternalStore } from 'react'
import { Choice } from '../Choice.js'
import type { LineName, WireEntry, WireLog } from './createWireLog.js'
import { LINES } from './lines.js'

const LANES = { http: 'HTTP', token: 'Token', stream: 'Stream', bff: 'BFF', fault: 'Fault' } as const
const SHOWN = {
  all: 'Everything',
  request: LINES.request.title,
  upstream: LINES.upstream.title,
  stream: LINES.stream.title,
} as const satisfies Record<LineName | 'all', string>

interface WireListProps {
  readonly log: WireLog
  /** The rows to show. */
  readonly line: LineName | 'all'
  readonly onLine: (line: LineName | 'all') => void
}

export function WireList({ log, line, onLine }: WireListProps): ReactNode {
  const entries = useSyncExternalStore(log.subscribe, log.entries)
  const rows = entries.filter((entry) => line === 'all' || line === entry.line)
  return (
    <div className="drawer-body">
      <div className="row">
        <Choice label="Show" value={line} options={SHOWN} onChange={onLine} />
        <button className="button" onClick={log.clear}>
          Clear
        </button>
      </div>
      <p className="hint">
        Tokens are masked here. If a socket is refused, the browser itself prints its address in the console,
        with <code>authorization=api-key…</code>: no page can prevent that. It is the session token, which
        lives for minutes, and never the API key.
      </p>
      <ol className="wire-list" aria-label="What went over the wire, newest first">
        {rows.map((entry) => (
          <Row key={entry.id} entry={entry} />
        ))}
      </ol>
      {rows.length === 0 && <p className="hint">Nothing yet. Start a product or search the meetings.</p>}
    </div>
  )
}

function Row({ entry: { at, lane, title, tone, detail } }: { readonly entry: WireEntry }): ReactNode {
  return (
    <li data-tone={tone}>
      <details>
        <summary>
          <time>{formatTime(at)}</time>
          <span className="lane">{LANES[lane]}</span>
          <span className="title">{title}</span>
        </summary>
        <pre>{JSON.stringify(detail, undefined, 2)}</pre>
      </details>
    </li>
  )
}

/** `14:05:09.123`. */
const formatTime = (epochMs: number): string =>
  `${new Date(epochMs).toTimeString().slice(0, 8)}.${String(epochMs % 1_000).padStart(3, '0')}`
