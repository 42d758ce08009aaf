import type { ReactNode } from 'react'
import { useId, useSyncExternalStore } from 'react'
import type { WireEntry, WireLog as Log } from './createWireLog.js'

/** The messages on the wire, newest first. */
export function WireLog({ log }: { readonly log: Log }): ReactNode {
  const entries = useSyncExternalStore(log.subscribe, log.entries)
  const id = useId()
  return (
    <section className="wire" aria-labelledby={id}>
      <header>
        <h2 id={id}>On the wire</h2>
        <button className="act other" type="button" onClick={log.clear}>
          Clear
        </button>
      </header>
      {entries.length === 0 && <p className="note">Nothing yet.</p>}
      <ol tabIndex={0} aria-labelledby={id}>
        {entries.toReversed().map((entry) => (
          <Line key={entry.key} entry={entry} />
        ))}
      </ol>
    </section>
  )
}

function Line({ entry: { at, way, text, result, tone, details } }: { readonly entry: WireEntry }): ReactNode {
  const head = (
    <>
      <time>{new Date(at).toISOString().slice(11, 23)}</time>
      <span className="way">{way}</span>
      <span className="text">{text}</span>
      <span className="result" data-tone={tone}>
        {result}
      </span>
    </>
  )
  if (details.length === 0) return <li className="line">{head}</li>
  return (
    <li>
      <details>
        <summary className="line">{head}</summary>
        <pre tabIndex={0}>{details.join('\n')}</pre>
      </details>
    </li>
  )
}
