import type { MeetingFieldName } from '@stagepass/react'
import { MEETING_FIELDS } from '@stagepass/contract'
import { isVoiceError, useMeeting } from '@stagepass/react'
import type { ReactNode } from 'react'
import { useEffect, useRef } from 'react'
import { ErrorNotice } from '../errors/ErrorNotice.js'
import { formatDuration, formatMoment } from '../ui/format.js'
import { Icon } from '../ui/Icon.js'
import { nameOf } from './MeetingRow.js'
import { MeetingText } from './MeetingText.js'

const ALL_FIELDS: readonly MeetingFieldName[] = MEETING_FIELDS
const WITH_TEXT: readonly MeetingFieldName[] = [...MEETING_FIELDS, 'notes', 'transcript']

interface MeetingDetailProps {
  readonly id: string
  /** The emulator has notes and transcript. (Assumptions: "One meeting".) */
  readonly withText: boolean
  readonly tagNames: ReadonlyMap<string, string>
  readonly onClose: () => void
}

export function MeetingDetail({ id, withText, tagNames, onClose }: MeetingDetailProps): ReactNode {
  const { meeting, isPending, error, failureReason, isFetching, refetch } = useMeeting(id, {
    fields: withText ? WITH_TEXT : ALL_FIELDS,
  })
  const headingRef = useRef<HTMLHeadingElement>(null)
  useEffect(() => headingRef.current?.focus({ preventScroll: true }), [])

  const processing = isPending && isVoiceError(failureReason, 'MEETING_PROCESSING')
  const problem = processing ? failureReason : error
  const title = processing ? 'Still processing' : meeting ? (meeting.title ?? 'Untitled meeting') : 'Meeting'
  return (
    <article className="meeting-detail" aria-busy={isFetching}>
      <header className="row">
        <h3 ref={headingRef} tabIndex={-1}>
          {title}
        </h3>
        <button className="button quiet square end" aria-label="Close meeting" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {isPending && !processing && <p role="status">Loading…</p>}
      {problem && (
        <ErrorNotice
          error={problem}
          passing={processing}
          action={
            <button className="link" disabled={isFetching && !processing} onClick={() => void refetch()}>
              {processing ? 'Look again now' : 'Try again'}
            </button>
          }
        />
      )}
      {meeting && (
        <>
          <dl className="facts numbers">
            {meeting.started_at && <Fact name="Started">{formatMoment(meeting.started_at)}</Fact>}
            {meeting.duration !== undefined && <Fact name="Length">{formatDuration(meeting.duration)}</Fact>}
            {meeting.source && <Fact name="Source">{meeting.source.replaceAll('_', ' ')}</Fact>}
            {meeting.ownership && <Fact name="Ownership">{meeting.ownership}</Fact>}
            {meeting.tags && meeting.tags.length > 0 && (
              <Fact name="Tags">{meeting.tags.map((tag) => tagNames.get(tag) ?? tag).join(', ')}</Fact>
            )}
            {meeting.participants && <Fact name="People">{meeting.participants.map(nameOf).join(', ')}</Fact>}
            <Fact name="Id">
              <code>{meeting.id}</code>
            </Fact>
          </dl>
          <MeetingText notes={meeting.notes} transcript={meeting.transcript} />
        </>
      )}
    </article>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
