'use client'

import { type CSSProperties, type ReactNode, useEffect, useId, useState, useSyncExternalStore } from 'react'
import type { VoiceEvent } from '../events/events.js'
import { useClient } from '../identity/useClient.js'
import { createEventLog } from './createEventLog.js'
import { metersOf } from '../vitals/metersOf.js'
import { SessionPicture } from './SessionPicture.js'
import { TapeOpener } from './TapeOpener.js'
import type { StatusRow } from './summarize.js'

/** Props of `VoicePanel`. */
export interface VoicePanelProps {
  /** Number of events to keep. Default 100. */
  limit?: number | undefined
}

/** System colours, so that the panel is light or dark like the page. */
const PANEL: CSSProperties = {
  position: 'fixed',
  right: 12,
  bottom: 12,
  zIndex: 2_147_483_000,
  boxSizing: 'border-box',
  width: 'min(27.5rem, calc(100vw - 24px))',
  maxHeight: '60vh',
  overflow: 'auto',
  padding: 12,
  font: '12px/1.5 ui-monospace, monospace',
  color: 'CanvasText',
  background: 'Canvas',
  border: '1px solid GrayText',
  borderRadius: 8,
}
const BUTTON: CSSProperties = { ...PANEL, width: 'auto', padding: '4px 10px' }
const SMALL: CSSProperties = { font: 'inherit', marginLeft: 6 }
const TONES: Record<StatusRow['tone'], string> = {
  good: 'light-dark(#0a7d33, #5fd68a)',
  busy: 'light-dark(#8a5a00, #f0b94a)',
  bad: 'light-dark(#b3261e, #ff8a80)',
  none: 'inherit',
}

/**
 * For development: shows the tokens and streams of the page, and their events. No event contains a token. It
 * shows the events since it was mounted, and nothing on a server.
 *
 * @example {import.meta.env.DEV && <VoicePanel />}
 */
export function VoicePanel({ limit = 100 }: VoicePanelProps): ReactNode {
  const client = useClient()
  const [log] = useState(() => createEventLog(limit))
  const [isOpen, setIsOpen] = useState(false)
  const title = useId()
  const { events, summary, session } = useSyncExternalStore(log.subscribe, log.snapshot, log.snapshot)
  useEffect(() => client.subscribe((event) => log.add(event)), [client, log])
  useEffect(() => metersOf(client).subscribe(log.addNote), [client, log])

  if (!isOpen) {
    return (
      <button type="button" style={BUTTON} aria-expanded={false} onClick={() => setIsOpen(true)}>
        Voice
      </button>
    )
  }
  return (
    <section
      aria-labelledby={title}
      style={PANEL}
      onKeyDown={({ key }) => {
        if (key === 'Escape') setIsOpen(false)
      }}
    >
      <header style={{ display: 'flex', alignItems: 'center' }}>
        <strong id={title} style={{ flex: 1 }}>
          Voice
        </strong>
        <button type="button" style={SMALL} onClick={() => log.clear()}>
          Clear events
        </button>
        <button type="button" style={SMALL} aria-expanded autoFocus onClick={() => setIsOpen(false)}>
          Close
        </button>
      </header>
      {summary.size === 0 && <p>Nothing has happened yet.</p>}
      <dl style={{ display: 'grid', gridTemplateColumns: 'auto 1fr', gap: '2px 12px', margin: '8px 0' }}>
        {[...summary.values()].map(({ name, state, note, tone }) => [
          <dt key={`${name} name`}>{name}</dt>,
          <dd key={name} style={{ margin: 0 }}>
            <span style={{ color: TONES[tone] }}>{state}</span> {note}
          </dd>,
        ])}
      </dl>
      {session && <SessionPicture session={session} />}
      <TapeOpener />
      <div role="log" aria-label="Events, newest first" tabIndex={0}>
        {events.map((event, index) => (
          <div key={events.length - index}>{describeEvent(event)}</div>
        ))}
      </div>
    </section>
  )
}

/** One line: the time, the type, and every field of the event. */
function describeEvent({ at, type, ...facts }: VoiceEvent): string {
  const time = new Date(at).toISOString().slice(11, 23)
  const shown = Object.entries(facts).flatMap(([name, value]) => {
    if (value === undefined) return []
    return `${name}=${typeof value === 'number' ? Math.round(value) : String(value)}`
  })
  return [time, type, ...shown].join(' ')
}
