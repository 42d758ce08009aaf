import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useEffect, useState } from 'react'
import { createRoom } from './createRoom.js'
import type { Tab } from './tabs/Tab.js'
import { idsOf } from './ui/TabList.js'
import { WireLog } from './wire/WireLog.js'

/** A running tab: the sample, its source, and what goes over the wire. */
export function TabRoom({ tab: { id, intro, file, source, Sample } }: { readonly tab: Tab }): ReactNode {
  const [room] = useState(createRoom)
  const { emulator, log } = room
  const ids = idsOf(id)

  useEffect(() => emulator.onWire(log.add), [emulator, log])

  return (
    <div className="panel" role="tabpanel" id={ids.panel} aria-labelledby={ids.tab}>
      <p className="intro">{intro}</p>
      <div className="halves">
        <div className="sample">
          <QueryClientProvider client={room.queryClient}>
            <Sample emulator={emulator} voice={room.voice} signIn={room.signIn} />
          </QueryClientProvider>
        </div>
        {/* It scrolls, so the keyboard must reach it. */}
        <section className="source" aria-label={`Source of ${file}`}>
          <p className="file">{file}</p>
          <pre tabIndex={0} role="region" aria-label={file}>
            <code>{source}</code>
          </pre>
        </section>
      </div>
      <WireLog log={log} />
    </div>
  )
}
