'use client'

import { useUsage } from '@stagepass/react'
import type { ReactNode } from 'react'
import './usage-meter.css'

export interface UsageMeterProps {
  /** Whose minutes: `'stt'`, `'tts'`, `'vt'` or `'viva'`. Default: those of all products together. */
  readonly product?: Parameters<typeof useUsage>[0]
  /** Its name for a screen reader, and its heading. */
  readonly label?: string
}

/** From this share on, the minutes are nearly gone. */
const NEARLY_GONE = 0.9

/** The minutes of today. Shows nothing if the server counts none. */
export function UsageMeter({ product, label = 'Minutes today' }: UsageMeterProps): ReactNode {
  const { usedMs, limitMs, resetsAt, error } = useUsage(product)
  if (error) {
    return (
      <section className="stagepass-usage-meter" data-state="failed" aria-label={label}>
        <p role="alert">
          {error.message} {error.reqId && <code>{error.reqId}</code>}
        </p>
      </section>
    )
  }
  if (usedMs === undefined || resetsAt === undefined) return null
  const hasLimit = typeof limitMs === 'number'
  const share = hasLimit ? Math.min(1, usedMs / limitMs) : 0
  const state = !hasLimit
    ? 'unlimited'
    : share === 1
      ? 'gone'
      : share < NEARLY_GONE
        ? 'enough'
        : 'nearly-gone'
  const words = hasLimit
    ? `${clock(usedMs)} of ${clock(limitMs)} used`
    : `${clock(usedMs)} used, without a limit`
  return (
    <section className="stagepass-usage-meter" data-state={state} aria-label={label}>
      <h3>{label}</h3>
      {hasLimit && (
        <div
          className="bar"
          role="meter"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(share * 100)}
          aria-valuetext={words}
        >
          <div style={{ inlineSize: `${share * 100}%` }} />
        </div>
      )}
      <p>{words}</p>
      {/* A screen reader hears it when it changes, and not each second. */}
      <p className="advice" role="status">
        {state === 'nearly-gone' && 'Your minutes of today are nearly gone.'}
        {state === 'gone' && 'Your minutes of today are gone.'}
      </p>
      {state !== 'enough' && hasLimit && <p>New minutes come {dayAndTime(resetsAt)}.</p>}
    </section>
  )
}

/** Minutes and seconds: "4:05". */
function clock(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

const dayAndTime = (date: Date): string =>
  date.toLocaleString(undefined, { weekday: 'long', hour: 'numeric', minute: '2-digit' })
