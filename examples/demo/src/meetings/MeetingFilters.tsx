import { MEETING_FIELDS } from '@stagepass/contract'
import type { ReactNode } from 'react'
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

export function MeetingFilters({ filters, tags, onChange }: MeetingFiltersProps): ReactNode {
  return (
    <form
      className="filters"
      role="search"
      aria-label="Meetings"
      onSubmit={(event) => event.preventDefault()}
    >
      <label className="search">
        <span className="unseen">Search titles, notes and people</span>
        <Icon name="search" />
        <input
          className="input"
          type="search"
          placeholder="Search titles, notes and people"
          maxLength={500}
          value={filters.search}
          onChange={(event) => onChange({ search: event.target.value })}
        />
      </label>
      <Segments
        label="Whose meetings"
        name="ownership"
        value={filters.ownership}
        options={OWNERSHIP}
        onChange={(ownership) => onChange({ ownership })}
      />
      <label className="field">
        <span>Sort by</span>
        <select
          className="input"
          value={filters.sortBy}
          onChange={(event) => onChange({ sortBy: event.target.value as Filters['sortBy'] })}
        >
          {Object.entries(SORT).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Segments
        label="Direction"
        name="order"
        value={filters.order}
        options={ORDER}
        onChange={(order) => onChange({ order })}
      />
      <label className="field">
        <span>From</span>
        <input
          className="input"
          type="date"
          value={filters.from}
          onChange={(event) => onChange({ from: event.target.value })}
        />
      </label>
      <label className="field">
        <span>To</span>
        <input
          className="input"
          type="date"
          value={filters.to}
          onChange={(event) => onChange({ to: event.target.value })}
        />
      </label>
      <Choice
        title="Tags"
        options={tags}
        chosen={filters.tags}
        onToggle={(id) => onChange({ tags: toggled(filters.tags, id) })}
      />
      <Choice
        title="Fields"
        options={MEETING_FIELDS.map((id) => ({ id, name: id }))}
        chosen={filters.fields}
        onToggle={(id) => onChange({ fields: toggled(filters.fields, id) })}
      />
    </form>
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
