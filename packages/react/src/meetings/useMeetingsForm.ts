'use client'

import { MEETINGS_PARAMS } from '@stagepass/contract'
import { useCallback, useId, useState, useSyncExternalStore } from 'react'
import type { Client } from '../client/Client.js'
import { useClient } from '../client/useClient.js'
import { useIdentityEnd } from '../client/useIdentityEnd.js'
import type { MeetingsFilters } from './meetingsParams.js'

/** Props of an `<input type="date">`. */
interface DayProps {
  readonly type: 'date'
  readonly min: string
  readonly max: string | undefined
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby': string | undefined
}

/** The result of `useMeetingsForm`. */
export interface UseMeetingsFormResult {
  /** For `useMeetings`: what the form says, with the last days that it had without a `problem`. */
  readonly filters: MeetingsFilters
  /** True if a control is set, other than the order. Then offer a `<button type="reset">`. */
  readonly isFiltered: boolean
  /** Props of the `<form>`. */
  readonly form: {
    readonly ref: (form: HTMLFormElement | null) => void
    readonly onChange: (event: { readonly currentTarget: HTMLFormElement }) => void
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

/** The form, as it was read at its last change. */
interface FormState {
  /** The form of another user does not count. */
  readonly client: Client
  readonly filters: MeetingsFilters
  readonly isFiltered: boolean
  /** The days as the controls have them: `2026-11-20`, or empty. */
  readonly from: string
  readonly to: string
}

const emptyForm = (client: Client): FormState => ({
  client,
  filters: {},
  isFiltered: false,
  from: '',
  to: '',
})

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
  maxLength: MEETINGS_PARAMS.search.schema.maxLength,
} as const

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
export function useMeetingsForm(): UseMeetingsFormResult {
  const client = useClient()
  const problemId = useId()
  const [element, setElement] = useState<HTMLFormElement | null>(null)
  const [last, setState] = useState(() => emptyForm(client))
  const state = last.client === client ? last : emptyForm(client)
  // A server does not know the time zone of the user.
  const today = useSyncExternalStore(
    never,
    () => dayOf(client.platform.wallNow()),
    () => '',
  )

  useIdentityEnd(useCallback(() => element?.reset(), [element]))

  const { from, to } = state
  const problem = problemOf(state, today)
  const day = {
    type: 'date',
    max: today || undefined,
    'aria-invalid': problem !== null,
    'aria-describedby': problem === null ? undefined : problemId,
  } as const
  return {
    filters: state.filters,
    isFiltered: state.isFiltered,
    form: {
      ref: setElement,
      onChange({ currentTarget }) {
        setState(readForm(new FormData(currentTarget), state, today))
      },
      onReset: () => setState(emptyForm(client)),
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

const never = () => () => {}

type Days = Pick<FormState, 'from' | 'to'>

function readForm(data: FormData, { client, filters: before }: FormState, today: string): FormState {
  // The controls of this form hold no files.
  const text = (name: string): string => (data.get(name) ?? '') as string
  const days = { from: text('from'), to: text('to') }
  const search = text('search')
  const tags = data.getAll('tags').filter((tag) => tag !== '')
  // As in a list without filters: then a first letter in the search box changes nothing else.
  const ownership = text('ownership') === 'all' ? '' : text('ownership')
  return {
    client,
    ...days,
    isFiltered: [search.trim(), ownership, days.from, days.to, ...tags].some(Boolean),
    // The values are those of the controls.
    filters: {
      search,
      ownership: ownership || undefined,
      tags,
      ...SORTS[text('sort')],
      ...(areUsable(days, today) ? boundsOf(days) : { from: before.from, to: before.to }),
    } as MeetingsFilters,
  }
}

const isUnfinished = ({ from, to }: Days): boolean => [from, to].some((day) => day !== '' && day < FIRST_DAY)

function problemOf(days: Days, today: string): UseMeetingsFormResult['problem'] {
  const { from, to } = days
  if (isUnfinished(days)) return null
  if (from > today || to > today) return 'future'
  return to !== '' && from > to ? 'backwards' : null
}

const areUsable = (days: Days, today: string): boolean =>
  !isUnfinished(days) && problemOf(days, today) === null

/** Both days are meant whole. */
const boundsOf = ({ from, to }: Days) => ({
  from: from === '' ? undefined : new Date(`${from}T00:00`),
  to: to === '' ? undefined : new Date(`${to}T23:59:59.999`),
})

/** A day of the user: `2026-11-20`. */
function dayOf(atMs: number): string {
  const at = new Date(atMs)
  return new Date(Date.UTC(at.getFullYear(), at.getMonth(), at.getDate())).toISOString().slice(0, 10)
}
