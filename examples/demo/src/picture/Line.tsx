import type { CSSProperties, ReactNode } from 'react'
import type { LineName, WireEntry } from '../wire/createWireLog.js'

/** Time of a dot from one end to the other; see picture.css. */
const WAY_MS = 900
/** More dots than these are never on a line at the same time. */
const DOTS = 8

interface LineProps {
  readonly name: LineName
  /** What is sent. */
  readonly words: string
  /** The entries of this line, newest first. */
  readonly entries: readonly WireEntry[]
  /** A socket is open. */
  readonly isLive?: boolean
  /** The numbers of an open socket. */
  readonly figures?: string | undefined
  readonly onPress: () => void
}

/** A connection between two sides. It shows each request and socket as it happens, and opens its rows. */
export function Line({ name, words, entries, isLive = false, figures, onPress }: LineProps): ReactNode {
  const trips = entries.filter(({ trip }) => trip !== undefined)
  const [last] = trips
  // Without the query, which is long.
  const lastWords = last?.refusal ?? figures ?? last?.title.replace(/\?\S*/, '') ?? 'nothing yet'
  return (
    <button
      type="button"
      className="wire-line"
      data-line={name}
      data-tone={last?.tone}
      data-live={isLive || undefined}
      onClick={onPress}
    >
      <span className="words">{words}</span>
      <svg className="track" aria-hidden="true">
        <line className="across" x1="0" y1="50%" x2="100%" y2="50%" />
        <line className="down" x1="50%" y1="0" x2="50%" y2="100%" />
        {trips.slice(0, DOTS).map((entry) => (
          <Dots key={entry.id} entry={entry} />
        ))}
      </svg>
      <span className="last">
        <span className="unseen">The last: </span>
        {lastWords}
      </span>
    </button>
  )
}

/** A dot that goes out and waits at the end for the answer, and one that comes back. */
function Dots({ entry: { trip, isPending, tookMs = 0, tone } }: { readonly entry: WireEntry }): ReactNode {
  // An answer that comes while the dot is still on its way waits for it.
  const delay = trip === 'back' ? 0 : Math.max(0, WAY_MS - tookMs)
  const style = { '--delay': `${delay}ms` } as CSSProperties
  return (
    <>
      {trip !== 'back' && (
        <circle className="dot out" data-pending={isPending} data-tone="plain" r="4" style={style} />
      )}
      {trip !== 'out' && !isPending && <circle className="dot back" data-tone={tone} r="4" style={style} />}
    </>
  )
}
