import { type ReactNode, useEffect, useRef } from 'react'
import type { LineName, WireLog } from './createWireLog.js'
import { FaultPanel } from './FaultPanel.js'
import { GaugePanel } from './GaugePanel.js'
import type { Gauges } from './useDemoFeed.js'
import { WireList } from './WireList.js'

const PARTS = ['Log', 'Faults', 'Budget'] as const

/** What the drawer shows. */
export interface Drawer {
  readonly part: (typeof PARTS)[number]
  /** The rows of the log. */
  readonly line: LineName | 'all'
}

interface WireDrawerProps {
  readonly drawer: Drawer
  readonly gauges: Gauges | undefined
  readonly log: WireLog
  readonly onChange: (drawer: Drawer) => void
  readonly onClose: () => void
}

/** Shows the requests and events of the page, and injects faults. */
export function WireDrawer({ drawer, gauges, log, onChange, onClose }: WireDrawerProps): ReactNode {
  const { part: shown, line } = drawer
  const headingRef = useRef<HTMLHeadingElement>(null)
  useEffect(() => headingRef.current?.focus(), [])
  return (
    <aside
      className="drawer"
      id="wire"
      aria-labelledby="wire-title"
      onKeyDown={({ key }) => (key === 'Escape' ? onClose() : undefined)}
    >
      <header className="row">
        <h2 id="wire-title" ref={headingRef} tabIndex={-1}>
          Behind the page
        </h2>
        <button className="button end" onClick={onClose}>
          Close
        </button>
      </header>
      <div className="row" role="group" aria-label="What to show">
        {PARTS.map((part) => (
          <button
            className="button"
            key={part}
            aria-pressed={part === shown}
            onClick={() => onChange({ part, line })}
          >
            {part}
          </button>
        ))}
      </div>
      {shown === 'Log' && (
        <WireList log={log} line={line} onLine={(next) => onChange({ part: 'Log', line: next })} />
      )}
      {shown === 'Faults' && <FaultPanel upstream={gauges?.upstream} />}
      {shown === 'Budget' && <GaugePanel gauges={gauges} />}
    </aside>
  )
}
