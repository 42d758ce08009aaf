import type { ReactNode } from 'react'
import { useEffect, useRef, useState } from 'react'
import type { DemoState } from '../state/useDemoState.js'
import { Icon } from '../ui/Icon.js'
import { Segments } from '../ui/Segments.js'
import type { WireLog } from './createWireLog.js'
import { FaultPanel } from './FaultPanel.js'
import { GaugePanel } from './GaugePanel.js'
import type { Gauges } from './useDemoFeed.js'
import { WireList } from './WireList.js'

const TABS = { wire: 'Wire', faults: 'Faults', gauges: 'Budget' } as const
type Tab = keyof typeof TABS

interface WireDrawerProps {
  readonly demo: DemoState | undefined
  readonly log: WireLog
  readonly gauges: Gauges | undefined
  readonly onClose: () => void
}

/** What goes on behind the page, and a way to make it go wrong. */
export function WireDrawer({ demo, log, gauges, onClose }: WireDrawerProps): ReactNode {
  const [tab, setTab] = useState<Tab>('wire')
  const headingRef = useRef<HTMLHeadingElement>(null)
  useEffect(() => headingRef.current?.focus(), [])

  return (
    <aside
      className="drawer"
      id="wire"
      aria-labelledby="wire-title"
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose()
      }}
    >
      <header className="drawer-head">
        <h2 id="wire-title" ref={headingRef} tabIndex={-1}>
          Behind the page
        </h2>
        <button className="button quiet square end" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
        <Segments
          label="What to show"
          labelShown={false}
          name="drawer"
          value={tab}
          options={TABS}
          onChange={setTab}
        />
      </header>
      {tab === 'wire' && <WireList log={log} />}
      {tab === 'faults' && <FaultPanel codes={demo?.faultCodes} />}
      {tab === 'gauges' && <GaugePanel gauges={gauges} />}
    </aside>
  )
}
