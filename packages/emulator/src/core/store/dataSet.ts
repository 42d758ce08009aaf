import type { Random } from '../platform/random.js'
import { type MeetingRow, type NoteBlock, OTHER_HOLDER, type Transcript } from './rows.js'
import { PEOPLE, type Series, SERIES } from './dataSetWords.js'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 86_400_000
const SIZE = 120
const SOURCES = ['zoom', 'zoom', 'google_meet', 'microsoft_teams', 'upload', null] as const

/**
 * The built-in meetings, newest first: about four months of one person's calendar before `nowMs`. The same
 * seed and the same time give the same rows. Most meetings are owned, and a quarter is shared. A few are
 * visible only by a public link or in the workspace, are still processing, or belong to another holder.
 */
export function createDataSet(random: Random, nowMs: number): MeetingRow[] {
  let startMs = nowMs
  return Array.from({ length: SIZE }, (_, index) => {
    startMs = previousSlot(random, startMs)
    return createMeeting(random, index, startMs, nowMs)
  })
}

/** An earlier time, on a working day between 8 and 18, at a quarter of an hour. */
function previousSlot(random: Random, beforeMs: number): number {
  for (let day = Math.floor((beforeMs - random.int(1, 30) * HOUR_MS) / DAY_MS); ; day -= 1) {
    const weekday = new Date(day * DAY_MS).getUTCDay()
    const slotMs = day * DAY_MS + random.int(8, 17) * HOUR_MS + random.int(0, 3) * 15 * MINUTE_MS
    if (weekday !== 0 && weekday !== 6 && slotMs <= beforeMs - 2 * HOUR_MS) return slotMs
  }
}

function createMeeting(random: Random, index: number, startedAtMs: number, nowMs: number): MeetingRow {
  const series = random.pick(SERIES)
  const source = random.pick(SOURCES)
  const minutes = random.int(...series.minutes)
  const endMs = startedAtMs + minutes * MINUTE_MS
  // Added soon after its end, an upload within half an hour. So a list by the date of creation is also in the
  // order of `started_at`, which is the date that lists show.
  const delay = source === 'upload' ? random.int(10, 30) : random.int(1, 8)
  const createdAtMs = Math.min(nowMs, endMs + delay * MINUTE_MS)
  const updatedAtMs = Math.min(
    nowMs,
    createdAtMs + (random.next() < 0.4 ? random.int(1, 20 * 24) * HOUR_MS : 0),
  )
  const processing = index < 3
  const participants = pickPeople(random)
  const title = random.pick(series.titles)

  return {
    id: `mtg_${random.text(14)}`,
    // An instant call has no title.
    title: random.next() < 0.04 ? null : random.next() < 0.3 ? `${title} (${random.pick(EDITIONS)})` : title,
    started_at: new Date(startedAtMs).toISOString(),
    duration: minutes * 60,
    status: processing ? 'processing' : random.next() < 0.85 ? 'completed' : 'ready',
    source,
    tags: random.next() < 0.1 ? [] : random.next() < 0.6 ? [...series.tags] : series.tags.slice(0, 1),
    participants,
    notes: { blocks: createNotes(random, series, participants, updatedAtMs) },
    transcript: createTranscript(random, series, participants, minutes * 60),
    created_at: new Date(createdAtMs).toISOString(),
    updated_at: new Date(updatedAtMs).toISOString(),
    visibility: visibilityOf(index, random),
    processing,
    ...(index % 15 === 14 ? { holder: OTHER_HOLDER } : {}),
  }
}

const EDITIONS = ['part 2', 'follow-up', 'EMEA', 'short', 'with leadership'] as const

function visibilityOf(index: number, random: Random): MeetingRow['visibility'] {
  if (index % 20 === 7) return 'public-link'
  if (index % 20 === 11) return 'workspace'
  return random.next() < 0.28 ? 'shared' : 'owned'
}

function pickPeople(random: Random): MeetingRow['participants'] {
  const left = [...PEOPLE]
  return Array.from({ length: random.int(2, 6) }, () => left.splice(random.int(0, left.length - 1), 1)).flat()
}

function createNotes(
  random: Random,
  { summary, actions }: Series,
  participants: MeetingRow['participants'],
  updatedAtMs: number,
): NoteBlock[] {
  const assignee = participants.find(({ email }) => email)?.email
  return [
    { type: 'heading', text: 'Summary' },
    ...summary.filter(() => random.next() < 0.7).map((text): NoteBlock => ({ type: 'paragraph', text })),
    {
      type: 'list',
      text: 'Next steps',
      children: actions.map((text): NoteBlock => ({
        type: 'todo',
        text,
        completed: random.next() < 0.4,
        ...(assignee ? { assignee } : {}),
        due_date: new Date(updatedAtMs + random.int(2, 14) * DAY_MS).toISOString().slice(0, 10),
      })),
    },
  ]
}

function createTranscript(
  random: Random,
  { lines }: Series,
  participants: MeetingRow['participants'],
  durationSeconds: number,
): Transcript {
  const count = random.int(6, 14)
  return {
    language: 'en-US',
    speakers: Object.fromEntries(
      participants.map(({ email = null, first_name = null, last_name = null }, index) => [
        String(index),
        { email, first_name, last_name },
      ]),
    ),
    segments: Array.from({ length: count }, (_, index) => {
      const start = Math.round((durationSeconds * index) / count)
      return {
        speaker: random.int(0, participants.length - 1),
        text: random.pick(lines),
        start,
        end: start + random.int(2, 6),
      }
    }),
  }
}
