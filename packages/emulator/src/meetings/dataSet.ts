import type { Random } from '../random.js'
import type { MeetingRow } from '../rows.js'

const HOUR_MS = 3_600_000

/** The ready-made meetings. Their dates lie before `nowMs`, so that they look recent. */
export function createDataSet(random: Random, nowMs: number): MeetingRow[] {
  return Array.from({ length: 40 }, (_, index): MeetingRow => {
    const startedAt = new Date(nowMs - (index + 1) * 7 * HOUR_MS).toISOString()
    return {
      id: `mtg_${random.text(12)}`,
      title: `Weekly planning ${index + 1}`,
      started_at: startedAt,
      duration: random.int(300, 3_600),
      status: 'completed',
      source: 'zoom',
      tags: ['tag-planning'],
      participants: [
        {
          email: 'ada@example.com',
          first_name: 'Ada',
          last_name: 'Lovelace',
          status: 'attended',
          photo: null,
        },
      ],
      notes: { blocks: [{ type: 'paragraph', text: 'Agreed on the roadmap.' }] },
      transcript: { language: 'en-US', speakers: {}, segments: [] },
      created_at: startedAt,
      updated_at: startedAt,
      visibility: index % 5 === 4 ? 'shared' : 'owned',
      processing: index === 0,
    }
  })
}
