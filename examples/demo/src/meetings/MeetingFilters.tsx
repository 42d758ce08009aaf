import { MEETING_FIELDS, MEETINGS_PARAMS, type SortField } from '@stagepass/contract'
import { Fragment, type ReactNode } from 'react'
import { Icon } from '../ui/Icon.js'
import { Segments } from '../ui/Segments.js'
import type { Filters } from './filters.js'
import { toggled } from './filters.js'

interface MeetingFiltersProps {
  readonly filters: Filters
  readonly tags: readonly { readonly id: string; readonly name: string }[]
  readonly onChange: (change: Partial<Filters>) => void
}

const OWNERSHIP = { all: 'All', mine: 'Mine', shared: 'Shared' } as const
const SORT = { date: 'Date created', duration: 'Duration', last_modified: 'Last modified' } as const
const ORDER = { newest: 'Newest', oldest: 'Oldest' } as const

type Controls = {
  readonly [TFilter in keyof Filters]-?: (props: MeetingFiltersProps) => ReactNode
}

/** A control for each filter, in the order of the form. */
const CONTROLS: Controls = {
  search: ({ filters, onChange }) => (
    <label className="search">
      <span className="unseen">Search titles, notes and people</span>
      <Icon name="search" />
      <input
        className="input"
        type="search"
        placeholder="Search titles, notes and people"
        maxLength={MEETINGS_PARAMS.search.schema.maxLength}
        value={filters.search ?? ''}
        onChange={(event) => onChange({ search: event.target.value })}
      />
    </label>
  ),
  ownership: ({ filters, onChange }) => (
    <Segments
      label="Whose meetings"
      name="ownership"
      value={filters.ownership ?? 'all'}
      options={OWNERSHIP}
      onChange={(ownership) => onChange({ ownership })}
    />
  ),
  sortBy: ({ filters, onChange }) => (
    <label className="field">
      <span>Sort by</span>
      <select
        className="input"
        value={filters.sortBy ?? 'date'}
        onChange={(event) => onChange({ sortBy: event.target.value as SortField })}
      >
        {Object.entries(SORT).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </label>
  ),
  order: ({ filters, onChange }) => (
    <Segments
      label="Direction"
      name="order"
      value={filters.order ?? 'newest'}
      options={ORDER}
      onChange={(order) => onChange({ order })}
    />
  ),
  from: ({ filters, onChange }) => (
    <Day title="From" value={filters.from} onChange={(from) => onChange({ from })} />
  ),
  to: ({ filters, onChange }) => <Day title="To" value={filters.to} onChange={(to) => onChange({ to })} />,
  tags: ({ filters: { tags: chosen = [] }, tags, onChange }) => (
    <Choice
      title="Tags"
      options={tags}
      chosen={chosen}
      onToggle={(id) => onChange({ tags: toggled(chosen, id) })}
    />
  ),
  fields: ({ filters: { fields = [] }, onChange }) => (
    <Choice
      title="Fields"
      options={MEETING_FIELDS.map((id) => ({ id, name: id }))}
      chosen={fields}
      onToggle={(id) => onChange({ fields: toggled(fields, id) })}
    />
  ),
}

export function MeetingFilters(props: MeetingFiltersProps): ReactNode {
  return (
    <form
      className="filters"
      role="search"
      aria-label="Meetings"
      onSubmit={(event) => event.preventDefault()}
    >
      {Object.entries(CONTROLS).map(([filter, control]) => (
        <Fragment key={filter}>{control(props)}</Fragment>
      ))}
    </form>
  )
}

interface DayProps {
  readonly title: string
  readonly value: string | undefined
  readonly onChange: (value: string) => void
}

function Day({ title, value = '', onChange }: DayProps): ReactNode {
  return (
    <label className="field">
      <span>{title}</span>
      <input className="input" type="date" value={value} onChange={(event) => onChange(event.target.value)} />
    </label>
  )
}

interface ChoiceProps<TId extends string> {
  readonly title: string
  readonly options: readonly { readonly id: TId; readonly name: string }[]
  readonly chosen: readonly string[]
  readonly onToggle: (id: TId) => void
}

/** Any number of a list, folded away until it is wanted. */
function Choice<TId extends string>({ title, options, chosen, onToggle }: ChoiceProps<TId>): ReactNode {
  if (options.length === 0) return null
  return (
    <details
      className="choice"
      name="meeting-filters"
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) currentTarget.open = false
      }}
      onKeyDown={({ currentTarget, key }) => {
        if (key === 'Escape') currentTarget.open = false
      }}
    >
      <summary className="button">
        {title}
        <span className="badge numbers">{chosen.length}</span>
      </summary>
      <fieldset className="card" tabIndex={-1}>
        <legend className="unseen">{title}</legend>
        {options.map(({ id, name }) => (
          <label className="check" key={id}>
            <input type="checkbox" checked={chosen.includes(id)} onChange={() => onToggle(id)} />
            {name}
          </label>
        ))}
      </fieldset>
    </details>
  )
}
