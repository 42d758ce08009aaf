import { UsageMeter } from '@stagepass/registry/usage-meter'
import { VoiceSession } from '@stagepass/registry/voice-session'
import { type ReactNode, useId, useState } from 'react'
import type { Gauges } from '../wire/useDemoFeed.js'
import { useRecordedSession } from './useRecordedSession.js'

const NONE: NonNullable<Gauges['billedMs']> = {}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

/** A session that pays for speech. `billedMs`: what the emulator has counted, by connection. */
export function Silence({ billedMs = NONE }: { readonly billedMs: Gauges['billedMs'] }): ReactNode {
  const id = useId()
  /** The connections from before the start. */
  const [others, setOthers] = useState<ReadonlySet<string>>()
  const session = useRecordedSession({ key: 'silence', silence: { closeAfterMs: 1_500 } })
  const { savedMs } = session.silence

  function start(): void {
    setOthers(new Set(Object.keys(billedMs)))
    session.start()
  }

  const paid = others ? Object.entries(billedMs).filter(([socket]) => !others.has(socket)) : []
  const paidMs = paid.reduce((sum, [, ms]) => sum + ms, 0)
  const allMs = paidMs + savedMs
  return (
    <article className="card product silence" aria-labelledby={id}>
      <header>
        <h2 id={id}>Silence costs nothing</h2>
        <p className="purpose">
          The recording is the microphone here, with pauses as in a talk. Watch the socket in the picture.
        </p>
      </header>
      <dl className="bars">
        <Bar name="Paid with the option" ms={paidMs} share={paidMs / (allMs || 1)} isPaid />
        <Bar name="Paid without it" ms={allMs} share={allMs > 0 ? 1 : 0} />
      </dl>
      <p className="hint">
        {paid.length === 1 ? '1 connection' : `${paid.length} connections`}, as the emulator counts them.
        Without the option there is one, from start to end.
      </p>
      <div className="dock">
        <VoiceSession session={{ ...session, start }} name="Silence" />
      </div>
      <UsageMeter product="stt" label="Minutes of Speech-to-Text today, with silence" savedMs={savedMs} />
    </article>
  )
}

interface BarProps {
  readonly name: string
  readonly ms: number
  /** Of the whole width, 0 to 1. */
  readonly share: number
  readonly isPaid?: boolean
}

function Bar({ name, ms, share, isPaid = false }: BarProps): ReactNode {
  return (
    <div data-paid={isPaid || undefined}>
      <dt>{name}</dt>
      <dd>
        <svg aria-hidden="true" viewBox="0 0 100 10" preserveAspectRatio="none">
          <rect width={share * 100} height="10" />
        </svg>
        {seconds(ms)}
      </dd>
    </div>
  )
}
