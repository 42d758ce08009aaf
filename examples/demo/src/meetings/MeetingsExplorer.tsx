import { useMeetings, useTags } from '@stagepass/react'
import type { ReactNode } from 'react'
import { useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import type { DemoState } from '../state/useDemoState.js'
import { ErrorNotice } from '../errors/ErrorNotice.js'
import { Icon } from '../ui/Icon.js'
import type { Filters } from './filters.js'
import { boundsOf, fieldsOf, NO_FILTERS } from './filters.js'
import { MeetingDetail } from './MeetingDetail.js'
import { MeetingFilters } from './MeetingFilters.js'
import { MeetingList } from './MeetingList.js'
import { OpenById } from './OpenById.js'

export function MeetingsExplorer({ demo }: { readonly demo: DemoState | undefined }): ReactNode {
  const [filters, setFilters] = useState<Filters>(NO_FILTERS)
  const [chosen, setChosen] = useState<string>()

  const fields = fieldsOf(filters, demo?.upstream === 'emulator')
  const list = useMeetings(
    { ...filters, fields, ...boundsOf(filters) },
    // Until it is known which fields there are, a list would be fetched for nothing.
    { enabled: demo !== undefined },
  )
  const known = useTags()
  const knownTags = known.tags
  const tagNames = useMemo(() => new Map(knownTags.map(({ id, name }) => [id, name])), [knownTags])

  function close(): void {
    const id = chosen
    flushSync(() => setChosen(undefined))
    // Back to the row that it was opened from, where there is one.
    document.getElementById(`meeting-${id}`)?.focus()
  }

  return (
    <section aria-labelledby="meetings-title">
      <header className="section-head">
        <h2 id="meetings-title">Meetings</h2>
        <p className="numbers" role="status">
          {list.status === 'success' && `${list.meetings.length} of ${list.total ?? 'many'} shown`}
        </p>
        <button className="button quiet end" disabled={list.isRefreshing} onClick={() => void list.refresh()}>
          <Icon name="refresh" size={16} />
          {list.isRefreshing ? 'Refreshing…' : 'Refresh'}
        </button>
      </header>
      <div className="card">
        <MeetingFilters
          filters={filters}
          tags={knownTags}
          onChange={(change) => setFilters((before) => ({ ...before, ...change }))}
        />
        {list.refreshError && <ErrorNotice error={list.refreshError} passing />}
        <div className="explorer" data-chosen={chosen !== undefined}>
          <MeetingList
            list={list}
            chosen={chosen}
            tagNames={tagNames}
            onChoose={setChosen}
            onReset={() => setFilters(NO_FILTERS)}
          />
          <div className="pane">
            {chosen === undefined ? (
              <OpenById processing={demo?.processing ?? []} onOpen={setChosen} />
            ) : (
              <MeetingDetail
                key={chosen}
                id={chosen}
                withText={demo?.upstream === 'emulator'}
                tagNames={tagNames}
                onClose={close}
              />
            )}
          </div>
        </div>
      </div>
    </section>
  )
}
