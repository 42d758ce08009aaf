import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useEffect, useState } from 'react'
import { createRoom } from './createRoom.js'
import type { SourceFile, Tab } from './tabs/Tab.js'
import { Code } from './ui/Code.js'
import { idsOf } from './ui/TabList.js'
import { WireLog } from './wire/WireLog.js'

/** A running tab: the sample, its source, and what goes over the wire. */
export function TabRoom({ tab: { id, title, intro, files, Sample } }: { readonly tab: Tab }): ReactNode {
  const [room] = useState(createRoom)
  const { emulator, log } = room
  const ids = idsOf(id)
  const [sample, ...components] = files

  useEffect(() => emulator.onWire(log.add), [emulator, log])

  return (
    <div className="panel" role="tabpanel" id={ids.panel} aria-labelledby={ids.tab}>
      <h2>{title}</h2>
      <p className="intro">{intro}</p>
      <div className="halves">
        <div className="sample">
          <QueryClientProvider client={room.queryClient}>
            <Sample emulator={emulator} voice={room.voice} signIn={room.signIn} />
          </QueryClientProvider>
        </div>
        <div className="sources">
          <section className="source" aria-label={`Source of ${sample.name}`}>
            <p className="name">{sample.name}</p>
            <Lines of={sample} />
          </section>
          {components.map((file) => (
            <details key={file.name} className="source">
              <summary className="name">{file.name}, a component to copy</summary>
              <Lines of={file} />
            </details>
          ))}
        </div>
      </div>
      <WireLog log={log} />
    </div>
  )
}

/** It scrolls, so the keyboard must reach it. */
function Lines({ of: { name, text } }: { readonly of: SourceFile }): ReactNode {
  return (
    <pre tabIndex={0} role="region" aria-label={name}>
      <Code text={text} />
    </pre>
  )
}
