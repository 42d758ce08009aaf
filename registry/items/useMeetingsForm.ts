'use client'

import { type MeetingsFilters, useVoiceClient, type VoiceClient } from '@stagepass/react'
import {
  useCallback,
  useEffect,
  useId,
  useInsertionEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'

/** Props of an `<input type="date">`. */
interface DayProps {
  readonly type: 'date'
  readonly min: string
  readonly max: string | undefined
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby': string | undefined
}

/** The values of the controls by their names, such as the `URLSearchParams` of an address. */
type MeetingsFormValues = Pick<URLSearchParams, 'getAll'>

/** Options of `useMeetingsForm`. */
export interface UseMeetingsFormOptions {
  /**
   * What the controls say at first, such as the parameters of the address. Other names, and values that a
   * control cannot have, are ignored. Read at the mount. `<button type="reset">` does not bring it back.
   * Default: the `defaultValue` of each control.
   */
  readonly initial?: MeetingsFormValues | undefined
  /**
   * Called when the user has changed a control or reset the form, with the controls that differ from their
   * defaults: for the address. May be an inline function.
   */
  readonly onChange?: ((values: URLSearchParams) => void) | undefined
}

/** The result of `useMeetingsForm`. */
export interface UseMeetingsFormResult {
  /**
   * For `useMeetings`: what the form says, with the last days that it had without a `problem`. Text that an
   * input method composes counts after a second without a key, or when it is complete.
   */
  readonly filters: MeetingsFilters
  /** True if a control is set, other than the order. Then offer a `<button type="reset">`. */
  readonly isFiltered: boolean
  /** Props of the `<form>`. */
  readonly form: {
    readonly ref: (form: HTMLFormElement | null) => void
    readonly onChange: (event: {
      readonly currentTarget: HTMLFormElement
      readonly nativeEvent?: Event
    }) => void
    readonly onReset: () => void
    readonly onSubmit: (event: { preventDefault(): void }) => void
  }
  /** Props of the controls, by their names in the form. The form has those that you render. */
  readonly controls: {
    /** For an `<input>`. `useMeetings` waits until the user stops typing. */
    readonly search: { readonly name: 'search'; readonly type: 'search'; readonly maxLength: number }
    /** For a `<select>`: `newest`, `oldest`, `longest`, `shortest`, `edited` (the last change first). */
    readonly sort: { readonly name: 'sort' }
    /** For a `<select>` or radio buttons: `all`, `mine`, `shared`. */
    readonly ownership: { readonly name: 'ownership' }
    /** For an `<input>`: the first day. */
    readonly from: DayProps & { readonly name: 'from' }
    /** For an `<input>`: the last day, which is meant whole. */
    readonly to: DayProps & { readonly name: 'to' }
    /** For checkboxes or a `<select>`. A value is the id of a tag, or empty. */
    readonly tags: { readonly name: 'tags' }
  }
  /** Why the days are not used: the first one is after the last one, or one is in the future. */
  readonly problem: 'backwards' | 'future' | null
  /** Props of the element that explains the `problem`. The two days refer to it. */
  readonly problemProps: { readonly id: string; readonly role: 'alert' }
}

/** The form, as it was read last. */
interface FormState {
  /** The form of another user does not count. */
  readonly client: VoiceClient
  /** What the controls say, by their names. A day is `2026-11-20`, or empty. */
  readonly values: URLSearchParams
  /** The last days that could be used, before those of `values`. */
  readonly usedDays: Days
  /** What the controls say for the first user who signs in. */
  readonly initial: URLSearchParams
}

const NAMES = ['search', 'sort', 'ownership', 'from', 'to', 'tags'] as const

/** Some keyboards compose every word, and a page may miss the end of it: it does not wait longer. */
const COMPOSING_MS = 1_000

/** The day changes at midnight, also after a sleep or if the clock is set. */
const LOOK_MS = 30_000

/** A year that is being typed is 0002, 0020 and 0202 before it is 2026. No list is requested for these. */
const FIRST_DAY = '1970-01-01'

/** Field and direction in one word. The first one is what a list has without a filter. */
const SORTS: Readonly<Record<string, Pick<MeetingsFilters, 'sortBy' | 'order'>>> = {
  newest: {},
  oldest: { order: 'oldest' },
  longest: { sortBy: 'duration' },
  shortest: { sortBy: 'duration', order: 'oldest' },
  edited: { sortBy: 'last_modified' },
}

const SEARCH = {
  name: 'search',
  type: 'search',
  maxLength: 500,
} as const

/** React 18 warns about layout effects on a server. */
const useCommitEffect = typeof window === 'undefined' ? useEffect : useLayoutEffect

/** Calls `render` when the day may be another one. */
function watchDay(render: () => void): () => void {
  const timer = setInterval(render, LOOK_MS)
  return () => clearInterval(timer)
}

/**
 * The filters of `useMeetings` from a form. The form holds the values: give its controls a `defaultValue`,
 * not a `value`. A day is a whole day in the time zone of the user. A change of user clears the form.
 *
 * @example
 * const { filters, form, controls } = useMeetingsForm()
 * const { meetings } = useMeetings(filters)
 * return <form {...form}>
 *   <label>Search <input {...controls.search} /></label>
 *   <label>From <input {...controls.from} /></label>
 *   <label>To <input {...controls.to} /></label>
 *   <button type="reset">Clear</button>
 * </form>
 */
export function useMeetingsForm(options: UseMeetingsFormOptions = {}): UseMeetingsFormResult {
  const { initial, onChange } = options
  const client = useVoiceClient()
  const problemId = useId()
  const [element, setElement] = useState<HTMLFormElement | null>(null)
  const today = useSyncExternalStore(
    watchDay,
    () => dayOf(Date.now()),
    // A server does not know the time zone of the user.
    () => '',
  )
  const [last, setState] = useState(() => startOf(client, readInitial(initial)))
  // An address is meant for the user who opens it, and not for the one after that.
  const state =
    last.client === client
      ? last
      : startOf(client, last.client.user === null ? last.initial : new URLSearchParams())

  const latest = useRef({ state, onChange })
  useInsertionEffect(() => {
    latest.current = { state, onChange }
  })
  const read = useCallback((form: HTMLFormElement, kept?: URLSearchParams): void => {
    const { state: before } = latest.current
    const values = valuesOf(form, kept ?? before.values)
    if (String(values) === String(before.values)) return
    const next = { ...before, values, usedDays: usableDays(before, dayOf(Date.now())) }
    latest.current.state = next
    setState(next)
  }, [])
  const readUser = useCallback(
    (form: HTMLFormElement, kept?: URLSearchParams): void => {
      read(form, kept)
      latest.current.onChange?.(changedIn(form, latest.current.state.values))
    },
    [read],
  )
  const composing = useRef<ReturnType<typeof setTimeout>>(undefined)

  const shownFor = useRef(client)
  /** A reset has begun: by the user, whose controls are to be read then, or by a change of user. */
  const resetting = useRef<'user' | 'change' | null>(null)
  useCommitEffect(() => {
    if (!element) return undefined
    if (shownFor.current !== client) {
      resetting.current = 'change'
      element.reset()
    }
    resetting.current = null
    shownFor.current = client
    fillIn(element, latest.current.state.values)
    read(element)
    // Controls may come later, such as those of tags that are being loaded.
    const watch = new MutationObserver(() => {
      if (resetting.current) return
      fillIn(element, latest.current.state.values)
      read(element)
    })
    watch.observe(element, { childList: true, subtree: true })
    // In Chromium the last event of a composition, without an `input` after it.
    const onComposed = (): void => {
      clearTimeout(composing.current)
      readUser(element)
    }
    element.addEventListener('compositionend', onComposed)
    // The BFF has found another user, and the application has not set it yet.
    const unsubscribe = client.subscribe(({ type }) => {
      if (type === 'client.user_changed') element.reset()
    })
    return () => {
      unsubscribe()
      watch.disconnect()
      clearTimeout(composing.current)
      element.removeEventListener('compositionend', onComposed)
    }
  }, [client, element, read, readUser])

  const { values } = state
  const days = daysOf(values)
  const { from, to } = days
  const problem = problemOf(days, today)
  const day = {
    type: 'date',
    max: today || undefined,
    'aria-invalid': problem !== null,
    'aria-describedby': problem === null ? undefined : problemId,
  } as const
  return {
    ...filtersOf(values, usableDays(state, today)),
    form: {
      ref: setElement,
      onChange({ currentTarget, nativeEvent }) {
        clearTimeout(composing.current)
        if (nativeEvent && 'isComposing' in nativeEvent && nativeEvent.isComposing)
          composing.current = setTimeout(() => readUser(currentTarget), COMPOSING_MS)
        else readUser(currentTarget)
      },
      onReset() {
        if (resetting.current) return
        resetting.current = 'user'
        // The event comes before the controls change.
        setTimeout(() => {
          if (resetting.current !== 'user') return
          resetting.current = null
          if (element?.isConnected) readUser(element, new URLSearchParams())
        }, 0)
      },
      onSubmit: (event) => event.preventDefault(),
    },
    controls: {
      search: SEARCH,
      sort: { name: 'sort' },
      ownership: { name: 'ownership' },
      from: { ...day, name: 'from', min: FIRST_DAY, max: to || day.max },
      to: { ...day, name: 'to', min: from || FIRST_DAY },
      tags: { name: 'tags' },
    },
    problem,
    problemProps: { id: problemId, role: 'alert' },
  }
}

const NO_DAYS = { from: '', to: '' }

const startOf = (client: VoiceClient, initial: URLSearchParams): FormState => ({
  client,
  initial,
  values: initial,
  usedDays: NO_DAYS,
})

/** The values that controls can have: anyone can write an address. */
function readInitial(given: MeetingsFormValues | undefined): URLSearchParams {
  const values = new URLSearchParams()
  for (const name of NAMES) {
    for (const value of given?.getAll(name) ?? []) {
      const isDay = name === 'from' || name === 'to'
      if (isDay && !(/^\d{4}-\d\d-\d\d$/.test(value) && Date.parse(value) >= 0)) continue
      if (name === 'ownership' && !OWNERSHIPS.includes(value)) continue
      values.append(name, name === 'search' ? value.slice(0, SEARCH.maxLength) : value)
    }
  }
  return values
}

/** False for a control that is not rendered, or not yet, or that has no choice yet. */
function isOffered(form: HTMLFormElement, name: string): boolean {
  const found = form.elements.namedItem(name) as Partial<HTMLSelectElement> | null
  return found?.options ? Array.from(found.options).some(({ value }) => value !== '') : found !== null
}

/** What the controls say. A value stays until the form offers its control. */
function valuesOf(form: HTMLFormElement, before: URLSearchParams): URLSearchParams {
  const data = new FormData(form)
  const values = new URLSearchParams()
  for (const name of NAMES) {
    // The controls of this form hold no files.
    for (const value of isOffered(form, name) ? (data.getAll(name) as string[]) : before.getAll(name))
      values.append(name, value)
  }
  return values
}

type Control = HTMLInputElement | HTMLSelectElement

const controlsOf = (form: HTMLFormElement): readonly Control[] =>
  Array.from(form.elements as unknown as Iterable<Control>)

/** The values that differ from the defaults of their controls, and those of controls that come later. */
function changedIn(form: HTMLFormElement, values: URLSearchParams): URLSearchParams {
  const touched = new Set(
    controlsOf(form)
      .filter((control) => !isUntouched(control))
      .map(({ name }) => name),
  )
  return new URLSearchParams([...values].filter(([name]) => touched.has(name) || !isOffered(form, name)))
}

/** Gives new controls these values. A control without a value keeps its default. */
function fillIn(form: HTMLFormElement, values: URLSearchParams): void {
  for (const control of controlsOf(form)) {
    const { name } = control
    // The user may have changed it before React was there.
    if (!values.has(name) || !isUntouched(control)) continue
    const given = values.getAll(name)
    if ('options' in control)
      for (const option of control.options) option.selected = given.includes(option.value)
    else if (isCheck(control)) control.checked = given.includes(control.value)
    else control.value = given[0] ?? ''
  }
}

const isCheck = ({ type }: HTMLInputElement): boolean => type === 'checkbox' || type === 'radio'

function isUntouched(control: Control): boolean {
  if (!('options' in control))
    return isCheck(control)
      ? control.checked === control.defaultChecked
      : control.value === control.defaultValue
  const options = [...control.options]
  const hasDefault = control.multiple || options.some(({ defaultSelected }) => defaultSelected)
  return hasDefault
    ? options.every(({ selected, defaultSelected }) => selected === defaultSelected)
    : control.selectedIndex <= 0
}

type Days = Readonly<Record<'from' | 'to', string>>

const daysOf = (values: URLSearchParams): Days => ({
  from: values.get('from') ?? '',
  to: values.get('to') ?? '',
})

const OWNERSHIPS: readonly string[] = ['all', 'mine', 'shared']

/** `used`: the days that can be used, which may be older than those of the values. */
function filtersOf(
  values: URLSearchParams,
  used: Days,
): Pick<UseMeetingsFormResult, 'filters' | 'isFiltered'> {
  const search = values.get('search') ?? ''
  const tags = values.getAll('tags').filter((tag) => tag !== '')
  // As in a list without filters: then a first letter in the search box changes nothing else.
  const ownership = values.get('ownership') === 'all' ? '' : (values.get('ownership') ?? '')
  const { from, to } = daysOf(values)
  return {
    isFiltered: [search.trim(), ownership, from, to, ...tags].some(Boolean),
    // The values are those of the controls.
    filters: {
      ...(search && { search }),
      ...(ownership && { ownership }),
      ...(tags.length > 0 && { tags }),
      ...SORTS[values.get('sort') ?? ''],
      // Both days are meant whole. A day may have 23 or 25 hours.
      from: used.from === '' ? undefined : startOfDay(used.from),
      to: used.to === '' ? undefined : new Date(startOfDay(used.to, 1).getTime() - 1),
    } as MeetingsFilters,
  }
}

const isUnfinished = ({ from, to }: Days): boolean => [from, to].some((day) => day !== '' && day < FIRST_DAY)

function problemOf(days: Days, today: string): UseMeetingsFormResult['problem'] {
  const { from, to } = days
  if (isUnfinished(days)) return null
  if (today !== '' && (from > today || to > today)) return 'future'
  return to !== '' && from > to ? 'backwards' : null
}

/** The days of the form, or those before them if they cannot be used. */
function usableDays({ values, usedDays }: FormState, today: string): Days {
  const days = daysOf(values)
  return isUnfinished(days) || problemOf(days, today) !== null ? usedDays : days
}

/** When a day of the user begins, or the day `after` it. */
function startOfDay(day: string, after = 0): Date {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  return new Date(year, month - 1, date + after)
}

/** A day of the user: `2026-11-20`. */
function dayOf(atMs: number): string {
  const at = new Date(atMs)
  return new Date(Date.UTC(at.getFullYear(), at.getMonth(), at.getDate())).toISOString().slice(0, 10)
}
