'use client'

import { useUsage } from '@stagepass/react'
import { type FocusEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import './usage-meter.css'

type Usage = ReturnType<typeof useUsage>

export interface UsageMeterProps {
  /** The product: `'stt'`, `'tts'`, `'vt'` or `'viva'`. Default: all products together. */
  readonly product?: Parameters<typeof useUsage>[0]
  /** The heading, and the name for a screen reader. Default: "Minutes today". */
  readonly label?: string
  /** What silence has saved: `session.silence.savedMs` of a session. Default: it is not shown. */
  readonly savedMs?: number | undefined
}

/** At this share the minutes are nearly used up. */
const NEARLY_GONE = 0.9

/** With less left, the server starts no new session of the product. */
const SHORTEST_MS = 5 * 60_000

const ADVICE = {
  unlimited: '',
  enough: '',
  'nearly-gone': 'Your minutes of today are nearly gone.',
  'too-few': 'Fewer than 5 minutes are left today. They are too few to start again.',
  gone: 'Your minutes of today are gone.',
}

const OFFLINE = 'You are offline. This continues when you are back online.'

/** The minutes used today. Shows nothing if the server does not count minutes. */
export function UsageMeter({ product, label = 'Minutes today', savedMs = 0 }: UsageMeterProps): ReactNode {
  const usage = useUsage(product)
  const { usedMs, limitMs, resetsAt, isPaused } = usage
  const keptFocus = useKeptFocus()
  /** Stays while it is tried again. */
  const [error, setError] = useState(usage.error)
  if (error !== usage.error && (usage.error || usedMs !== undefined)) setError(usage.error)
  if (usedMs === undefined && !error && !isPaused) return null
  const state = stateOf(usage, product !== undefined)
  return (
    <section className="stagepass-usage-meter" data-state={state} aria-label={label} {...keptFocus}>
      <h3>{label}</h3>
      {/* A text that changes is one text, alone in its element: a browser that translates the page replaces it. */}
      {usedMs !== undefined && <Used usedMs={usedMs} limitMs={limitMs} label={label} />}
      {savedMs >= 1_000 && <p>{`${clock(savedMs)} saved in silence`}</p>}
      {/* A screen reader hears it when it changes, and not each second. */}
      <p className="advice" role="status">
        {isPaused ? OFFLINE : ADVICE[state]}
      </p>
      {ADVICE[state] && resetsAt && <p>{`New minutes come ${dayAndTime(resetsAt)}.`}</p>}
      {error && !isPaused && <Failure error={error} onRetry={() => void usage.refetch()} />}
    </section>
  )
}

/** If a button goes, by its press or by itself, the section gets its focus. */
function useKeptFocus() {
  const ref = useRef<HTMLElement>(null)
  const focused = useRef<Element>(null)
  useEffect(() => {
    if (focused.current?.isConnected === false) ref.current?.focus()
  })
  return {
    ref,
    tabIndex: -1,
    onFocus: (event: FocusEvent) => void (focused.current = event.target),
    onBlur: () => void (focused.current = null),
  }
}

function stateOf({ usedMs = 0, reservedMs, limitMs }: Usage, isOfOneProduct: boolean): keyof typeof ADVICE {
  if (typeof limitMs !== 'number') return 'unlimited'
  const leftMs = limitMs - usedMs
  if (leftMs <= 0) return 'gone'
  // Reserved minutes belong to a stream that is still open.
  if (isOfOneProduct && reservedMs === 0 && leftMs < SHORTEST_MS) return 'too-few'
  return usedMs / limitMs < NEARLY_GONE ? 'enough' : 'nearly-gone'
}

interface UsedProps extends Pick<Usage, 'limitMs'> {
  readonly usedMs: number
  readonly label: string
}

function Used({ usedMs, limitMs, label }: UsedProps): ReactNode {
  if (typeof limitMs !== 'number') return <p>{`${clock(usedMs)} used, without a limit`}</p>
  const words = `${clock(usedMs)} of ${clock(limitMs)} used`
  const percent = limitMs === 0 ? 100 : Math.min(100, (usedMs / limitMs) * 100)
  return (
    <>
      <div
        className="bar"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(percent)}
        aria-valuetext={words}
      >
        <div style={{ inlineSize: `${percent}%` }} />
      </div>
      <p>{words}</p>
    </>
  )
}

interface FailureProps {
  readonly error: NonNullable<Usage['error']>
  readonly onRetry: () => void
}

function Failure({ error, onRetry }: FailureProps): ReactNode {
  const [copied, setCopied] = useState({ id: '', words: '' })
  // The server's own id, if it did not call the voice service.
  const id = error.reqId ?? error.requestId
  async function copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      setCopied({ id: text, words: 'Copied' })
    } catch {
      // A page without https has no clipboard.
      setCopied({ id: text, words: 'Not copied. Select it.' })
    }
  }
  return (
    <div className="failure">
      <p role="alert">{error.message}</p>
      {id !== undefined && (
        <p className="quote">
          Id for support: <code>{id}</code>{' '}
          <button type="button" onClick={() => void copy(id)}>
            {copied.id === id ? copied.words : 'Copy'}
          </button>
        </p>
      )}
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </div>
  )
}

/** Minutes and seconds: "4:05". */
function clock(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** Weekday and time in the language of the page. */
const dayAndTime = (date: Date): string =>
  date.toLocaleString(lang(), { weekday: 'long', hour: 'numeric', minute: '2-digit' })

/** The language of the page. A browser throws for a name that is not one of a language, such as `en_US.UTF-8`. */
function lang(): string | undefined {
  try {
    return Intl.getCanonicalLocales(document.documentElement.lang.replaceAll('_', '-'))[0]
  } catch {
    return undefined
  }
}
