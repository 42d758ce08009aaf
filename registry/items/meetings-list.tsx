'use client'

import type { MeetingFieldName, MeetingWith, VoiceError } from '@stagepass/react'
import { useEndless, useMeeting, useMeetings, useTags } from '@stagepass/react'
import { type KeyboardEvent, type ReactNode, useState, useSyncExternalStore } from 'react'
import { useMeetingsForm } from './useMeetingsForm'
import './meetings-list.css'

/** Fields that the user may not see are missing. */
type Meeting = MeetingWith<readonly MeetingFieldName[]>

export interface MeetingsListProps {
  /** The heading, and the name for a screen reader. Default: "Meetings". */
  readonly label?: string
  /** The filters to show. Leave out those that the user may not use. Default: all. */
  readonly filters?: readonly (keyof typeof LABELS)[]
  /** Fields to load for an open meeting. Default: the fields of the list, source and people. */
  readonly fields?: readonly MeetingFieldName[]
  /** Shows more of an open meeting, such as its notes. */
  readonly children?: (meeting: Meeting) => ReactNode
  /** Id of a meeting to open at first. A meeting that is still processed is in no list. */
  readonly openId?: string
}

const LABELS = { search: 'Search', sort: 'Order', ownership: 'Whose', from: 'From', to: 'To', tags: 'Tag' }
const FILTERS = ['search', 'sort', 'ownership', 'from', 'to', 'tags'] as const
const OPTIONS = {
  sort: { newest: 'Newest', oldest: 'Oldest', longest: 'Longest', shortest: 'Shortest', edited: 'Edited' },
  ownership: { all: 'All', mine: 'Yours', shared: 'Shared with you' },
}
const PROBLEMS = { backwards: '“From” must not be after “To”.', future: 'No day may be in the future.' }
const ROW: readonly MeetingFieldName[] = ['title', 'started_at', 'duration', 'ownership', 'tags']
const FIELDS: readonly MeetingFieldName[] = [...ROW, 'source', 'participants']
const OFFLINE = 'You are offline. This continues when you are back online.'
/** A text without a letter or sign that one sees is no name. */
const isSeen = (text: string | null | undefined): text is string => /[^\p{C}\p{Z}\p{DI}]/u.test(text ?? '')
const takeFocus = (button: HTMLButtonElement | null) => button?.focus()
const ignoreRepeat = (event: KeyboardEvent) => event.repeat && event.key === 'Enter' && event.preventDefault()

/** The meetings of the user: search, filters, an endless list, and the details of each meeting. */
export function MeetingsList(props: MeetingsListProps): ReactNode {
  const { label = 'Meetings', filters = FILTERS, openId } = props
  const { form, controls, isFiltered, problem, problemProps, ...chosen } = useMeetingsForm()
  const list = useMeetings({ ...chosen.filters, fields: ROW })
  const { meetings, total = 'many', isError, isPaused } = list
  const isLoading = !isPaused && (list.isFetching || list.isPlaceholderData)
  const refresh = list.isRefreshing ? 'Refreshing…' : 'Refresh'
  const { endRef, loadMore, focusAt } = useEndless(list)
  const { tags } = useTags({ enabled: filters.includes('tags') })
  const error = list.failureReason ?? list.refreshError
  const none = isFiltered ? 'No meeting matches.' : 'There are no meetings yet.'
  const words = meetings.length > 0 ? `${meetings.length} of ${total} meetings` : list.isSuccess && none
  const again = list.error?.retryable === false && meetings.length > 0 ? 'Load the list again' : 'Try again'
  const { sortBy = 'date', order = 'newest' } = chosen.filters
  const isListed = openId === undefined || meetings.some(({ id }) => id === openId)
  const rows = isListed ? meetings : [{ id: openId, title: 'Meeting' }, ...meetings]
  const shown = filters.filter((name) => name !== 'tags' || tags.length > 0)
  const options: Readonly<Record<string, readonly (readonly string[])[]>> = {
    sort: Object.entries(OPTIONS.sort),
    ownership: Object.entries(OPTIONS.ownership),
    tags: [['', 'Any'], ...tags.map(({ id, name }) => [id, name])],
  }

  return (
    <section className="stagepass-meetings-list" aria-label={label}>
      <h3>{label}</h3>
      {!isPaused && <button onClick={() => void list.refresh()}>{refresh}</button>}
      <form {...form} role="search" aria-label={label}>
        {shown.map((name) => (
          <label key={name}>
            {LABELS[name]}
            {options[name] ? (
              <select {...controls[name]}>
                {options[name].map(([value, text]) => (
                  <option key={value} value={value} dir="auto">
                    {text}
                  </option>
                ))}
              </select>
            ) : (
              <input {...controls[name]} />
            )}
          </label>
        ))}
        <button type="reset">Clear filters</button>
        {problem && <p {...problemProps}>{PROBLEMS[problem]}</p>}
      </form>
      <p role="status">{isPaused ? OFFLINE : isLoading ? 'Loading…' : words}</p>
      <ul aria-busy={isLoading}>
        {rows.map((row) => (
          <Row
            key={row.id}
            {...{ row, tags, props }}
            order={sortBy === 'date' ? noteOf(meetings, row, order) : ''}
            takesFocus={row === meetings[focusAt]}
          />
        ))}
      </ul>
      {error && <Failure error={error} />}
      {!isPaused && (isLoading || isError || list.hasNextPage) && (
        <button ref={endRef} onClick={loadMore}>
          {isLoading ? 'Loading…' : isError ? again : 'Load more'}
        </button>
      )}
    </section>
  )
}

/**
 * The order by date goes by the time at which a meeting was added, which the service does not send: a row
 * shows when it started. Says so where the two differ.
 */
function noteOf(meetings: readonly Meeting[], row: Meeting, order: 'newest' | 'oldest'): string {
  const next = meetings[meetings.indexOf(row) + (order === 'newest' ? 1 : -1)]
  if (!row.started_at || !next?.started_at) return ''
  if (Date.parse(row.started_at) >= Date.parse(next.started_at)) return ''
  return order === 'newest' ? 'added after the one below' : 'added after the one above'
}

interface RowProps {
  readonly row: Meeting
  readonly tags: ReturnType<typeof useTags>['tags']
  /** Why it is in this place, if its date does not say it. */
  readonly order: string
  readonly takesFocus: boolean
  readonly props: MeetingsListProps
}

function Row({ row, tags, order, takesFocus, props }: RowProps): ReactNode {
  const { fields = FIELDS, openId, children } = props
  const [isOpen, setOpen] = useState(row.id === openId)
  // Only at the mount: a refresh moves rows.
  const [ref] = useState(() => (takesFocus ? takeFocus : undefined))
  const timeOf = useTimeOf()
  const { meeting = row, ...query } = useMeeting(isOpen ? row.id : undefined, { fields })
  const again = query.failureReason ? 'Look again' : 'Load again'
  const { title, started_at, duration, ownership, source, participants, tags: tagged } = meeting
  const facts = [
    started_at && timeOf(started_at),
    duration && `${Math.max(1, Math.round(duration / 60))} min`,
    ownership === 'shared' && 'Shared',
    order,
  ]
  const names = tags.filter(({ id }) => tagged?.includes(id)).map(({ name }) => name)
  const people = participants?.map((p) => [p.first_name || p.email, p.last_name].join(' ').trim()) ?? []
  // As the service writes it: "google_meet".
  const from = source?.replaceAll('_', ' ').replace(/(?:^|\P{L})\p{L}/gu, (begin) => begin.toUpperCase())
  const details = { Source: from ? [from] : [], People: people, Tags: names }
  return (
    <li>
      <h4>
        <button ref={ref} aria-expanded={isOpen} onKeyDown={ignoreRepeat} onClick={() => setOpen(!isOpen)}>
          <bdi>{isSeen(title) ? title.trim() : 'Untitled meeting'}</bdi>
          <small>{facts.filter(Boolean).join(' · ')}</small>
        </button>
      </h4>
      {isOpen && (
        <div>
          {query.failureReason && <Failure error={query.failureReason} />}
          {Object.entries(details).map(([name, texts]) => (
            <Detail key={name} name={name} texts={texts.filter(isSeen)} />
          ))}
          {children?.(meeting)}
          {query.isPaused ? <p>{OFFLINE}</p> : <button onClick={() => void query.refetch()}>{again}</button>}
        </div>
      )}
    </li>
  )
}

/** A name in another direction of writing does not turn the names after it. */
function Detail({ name, texts }: { readonly name: string; readonly texts: readonly string[] }): ReactNode {
  if (texts.length === 0) return null
  return (
    <p>
      {`${name}: `}
      {texts.map((text, index) => (
        <span key={`${index} ${text}`}>
          {index > 0 && ', '}
          <bdi>{text}</bdi>
        </span>
      ))}
    </p>
  )
}

const subscribe = () => () => {}

/** Writes a time in the language of the page. A server does not know the time zone of the user. */
function useTimeOf(): (time: string) => string {
  const isInPage = useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  )
  return (time) =>
    isInPage ? new Date(time).toLocaleString(lang(), { dateStyle: 'medium', timeStyle: 'short' }) : ''
}

/** The language of the page. A browser throws for a name that is not one of a language, such as `en_US.UTF-8`. */
function lang(): string | undefined {
  try {
    return Intl.getCanonicalLocales(document.documentElement.lang.replaceAll('_', '-'))[0]
  } catch {
    return undefined
  }
}

function Failure({ error }: { readonly error: VoiceError }): ReactNode {
  const [copied, setCopied] = useState({ id: '', words: '' })
  const id = error.code === 'MEETING_PROCESSING' ? '' : (error.reqId ?? error.requestId ?? '')
  const words = copied.id === id ? copied.words : 'Copy the id for support'
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(id)
      setCopied({ id, words: 'Copied' })
    } catch {
      setCopied({ id, words: 'Not copied. Select it.' })
    }
  }
  return (
    <div className="failure">
      <p role={error.retryable ? 'status' : 'alert'}>{error.message}</p>
      {id && <code>{id}</code>}
      {id && <button onClick={() => void copy()}>{words}</button>}
    </div>
  )
}
