import type { ReactNode } from 'react'
import { useState, useSyncExternalStore } from 'react'
import { formatTime } from '../ui/format.js'
import type { Lane, WireEntry, WireLog } from './createWireLog.js'

const LANES: Readonly<Record<Lane, string>> = {
  http: 'HTTP',
  token: 'Token',
  stream: 'Stream',
  bff: 'BFF',
  fault: 'Fault',
}

export function WireList({ log }: { readonly log: WireLog }): ReactNode {
  const entries = useSyncExternalStore(log.subscribe, log.entries)
  const [hidden, setHidden] = useState<readonly Lane[]>([])
  const shown = entries.filter(({ lane }) => !hidden.includes(lane))

  return (
    <>
      <div className="drawer-tools row">
        {Object.entries(LANES).map(([key, name]) => {
          // Object.entries forgets that the keys of this record are lanes.
          const lane = key as Lane
          return (
            <label className="check" key={lane}>
              <input
                type="checkbox"
                checked={!hidden.includes(lane)}
                onChange={() =>
                  setHidden(
                    hidden.includes(lane) ? hidden.filter((other) => other !== lane) : [...hidden, lane],
                  )
                }
              />
              {name}
            </label>
          )
        })}
        <button className="link end" onClick={log.clear}>
          Clear
        </button>
      </div>
      <div className="drawer-body">
        {shown.length === 0 && (
          <div className="empty">
            <strong>Nothing yet</strong>
            <p>
              Connect a product or search the meetings: every request, answer and event shows here. Tokens are
              masked.
            </p>
          </div>
        )}
        <ol className="wire-list" aria-label="What went over the wire, newest first">
          {shown.map((entry) => (
            <WireRow key={entry.id} entry={entry} />
          ))}
        </ol>
      </div>
    </>
  )
}

function WireRow({ entry }: { readonly entry: WireEntry }): ReactNode {
  const { at, lane, title, tone, detail } = entry
  const head = (
    <>
      <time className="numbers">{formatTime(at)}</time>
      <span className="lane">{LANES[lane]}</span>
      <span className="wire-title">{title}</span>
    </>
  )
  return (
    <li data-tone={tone}>
      {detail === undefined ? (
        <p>{head}</p>
      ) : (
        <details>
          <summary>{head}</summary>
          <pre>{JSON.stringify(detail, undefined, 2)}</pre>
        </details>
      )}
    </li>
  )
}
