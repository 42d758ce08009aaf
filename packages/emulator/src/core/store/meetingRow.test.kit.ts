import type { MeetingRow } from './rows.js'

/** A finished, owned meeting; what is in `change` goes over it. */
export function meetingRow(id: string, change: Partial<MeetingRow> = {}): MeetingRow {
  return {
    id,
    title: `Meeting ${id}`,
    started_at: '2026-01-01T09:00:00.000Z',
    duration: 60,
    status: 'completed',
    source: 'zoom',
    tags: [],
    participants: [],
    notes: { blocks: [] },
    transcript: { language: 'en-US', speakers: {}, segments: [] },
    created_at: '2026-01-01T10:00:00.000Z',
    updated_at: '2026-01-01T10:00:00.000Z',
    visibility: 'owned',
    processing: false,
    ...change,
  }
}
