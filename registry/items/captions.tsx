'use client'

import { type Segment, selectText, useFollowEnd, useTranscript } from '@stagepass/react/transcript'
import { memo, type ReactNode, useState, useSyncExternalStore } from 'react'
import './captions.css'

export interface CaptionsProps<TMessage> {
  /** The stream of `useStream` or `useVoiceSession`. */
  readonly stream: Parameters<typeof useTranscript<TMessage>>[0]
  /** Finds the text in a message, as in `useTranscript`. Default: `selectText`. May be inline. */
  readonly select?: Parameters<typeof useTranscript<TMessage>>[1]['select']
  /** The heading, and the name for a screen reader. Default: "Captions". */
  readonly label?: string
  /** The text before the first word. */
  readonly placeholder?: string
}

/** The settings of the reader. Keys and values are stored, words are shown. */
const CHOICES = [
  ['size', 'Text size', { '1em': 'Normal', '1.5em': 'Large', '2em': 'Very large' }],
  ['lines', 'Height', { 2: '2 lines', 4: '4 lines', 6: '6 lines', 12: '12 lines' }],
  ['background', 'Background', { page: 'As the page', white: 'White', cream: 'Cream', black: 'Black' }],
  ['contrast', 'Contrast', { normal: 'Normal', high: 'High' }],
] as const
const DEFAULTS = { size: '1em', lines: '6', background: 'page', contrast: 'normal' }
const KEY = 'stagepass-captions'
/** Safari scrolls with the keyboard only what takes the focus. */
const SCROLLED_BY_KEYS = { tabIndex: 0 }

/** Live captions. They scroll to the newest line while the reader is at the end. */
export function Captions<TMessage>({
  stream,
  select = selectText,
  label = 'Captions',
  placeholder = 'What is said appears here.',
}: CaptionsProps<TMessage>): ReactNode {
  const { segments, blocks, dropped } = useTranscript(stream, { select })
  const { ref, isAtEnd, scrollToEnd } = useFollowEnd()
  const [appearance, choose] = useAppearance()
  const [isAloud, setIsAloud] = useState(false)
  const { size, lines, background, contrast } = appearance
  const style = { fontSize: size, blockSize: `${lines}lh` }
  return (
    <section className="stagepass-captions" aria-label={label}>
      <div className="head">
        <h3>{label}</h3>
        {!isAtEnd && (
          <button type="button" onClick={scrollToEnd}>
            To the newest
          </button>
        )}
      </div>
      <div className="frame" data-background={background} data-contrast={contrast}>
        <div ref={ref} role="group" aria-label="What is said" {...SCROLLED_BY_KEYS} style={style}>
          {segments.length === 0 && <p>{placeholder}</p>}
          {dropped > 0 && <p>Earlier lines are no longer kept.</p>}
          <div role="list">
            {blocks.map(({ key, segments }) => (
              <Block key={key} segments={segments} />
            ))}
          </div>
        </div>
      </div>
      <label>
        <input type="checkbox" role="switch" checked={isAloud} onChange={() => setIsAloud(!isAloud)} />
        Read final lines aloud with a screen reader
      </label>
      <details>
        <summary>Appearance of the captions</summary>
        {CHOICES.map(([name, words, values]) => (
          <label key={name}>
            {words}
            <select value={appearance[name]} onChange={(event) => choose(name, event.target.value)}>
              {Object.entries(values).map(([value, option]) => (
                <option key={value} value={value}>
                  {option}
                </option>
              ))}
            </select>
          </label>
        ))}
      </details>
      <div role="log" aria-live="polite">
        {isAloud && <FinalLines segments={segments} />}
      </div>
    </section>
  )
}

/** Some lines. Renders again only if one of them changes. The browser lays it out only if it is in sight. */
const Block = memo(function Block({ segments }: { segments: readonly Segment[] }): ReactNode {
  return (
    <div className="block">
      {segments.map((segment, index) => {
        const isNamed = segment.speaker !== segments[index - 1]?.speaker
        const isGrowing = !segment.final && !isCutOff(segment, segments.slice(index + 1))
        return <Line key={segment.key} segment={segment} isNamed={isNamed} isGrowing={isGrowing} />
      })}
    </div>
  )
})

/** The same speaker goes on in a later line: the connection was lost before this one was final. */
const isCutOff = ({ speaker, language }: Segment, later: readonly Segment[]): boolean =>
  later.some((one) => one.speaker === speaker && one.language === language)

interface LineProps {
  readonly segment: Segment
  readonly isNamed: boolean
  readonly isGrowing: boolean
}

const Line = memo(function Line({ segment, isNamed, isGrowing }: LineProps): ReactNode {
  const { speaker, text, language } = segment
  return (
    <div role="listitem" dir="auto" data-growing={isGrowing || undefined}>
      {isNamed && speaker && <bdi>{speaker}</bdi>}
      <div lang={language}>{isGrowing ? `${text} …` : text}</div>
    </div>
  )
})

/** The lines that became final after it was mounted. Growing text would be read again with each word. */
function FinalLines({ segments }: { segments: readonly Segment[] }): ReactNode {
  const [before] = useState(() => new Set(segments))
  const lines = segments.filter((segment) => segment.final && !before.has(segment))
  return lines.slice(-20).map(({ key, speaker, text, language }) => (
    <p key={key} lang={language}>
      {speaker ? `${speaker}: ${text}` : text}
    </p>
  ))
}

/** The reader's settings. If the browser refuses to store them, they last until the page is left. */
function useAppearance() {
  const kept = useSyncExternalStore(watchKept, readKept, () => '')
  const [unkept, setUnkept] = useState<string>()
  const appearance = { ...DEFAULTS, ...Object.fromEntries(new URLSearchParams(unkept ?? kept)) }
  function choose(name: string, value: string): void {
    const chosen = String(new URLSearchParams({ ...appearance, [name]: value }))
    try {
      localStorage.setItem(KEY, chosen)
      // Browsers send this event only to other pages, and this page may have several captions.
      window.dispatchEvent(new StorageEvent('storage', { key: KEY }))
    } catch {
      setUnkept(chosen)
    }
  }
  return [appearance, choose] as const
}

function readKept(): string {
  try {
    return localStorage.getItem(KEY) ?? ''
  } catch {
    return ''
  }
}

function watchKept(onChange: () => void): () => void {
  window.addEventListener('storage', onChange)
  return () => window.removeEventListener('storage', onChange)
}
