import type { MeetingInput, MeetingRow } from './rows.js'
import type { ResettableTable } from './table.js'
import { createTable } from './table.js'
import type { MeetingReader } from './createMeetingReader.js'

/** The table of meetings: what is added or changed goes through the reader first, so that a refused row changes nothing. */
export function createMeetingsTable(
  rows: readonly MeetingRow[],
  reader: MeetingReader,
): ResettableTable<MeetingRow, MeetingInput> {
  const table = createTable({ name: 'meetings', idOf: (row: MeetingRow) => row.id, rows })
  return {
    get size() {
      return table.size
    },
    get: (id) => table.get(id),
    all: () => table.all(),
    add: (input) => table.add(reader.added(input)),
    update: (id, change) => table.update(id, reader.changed(id, change)),
    remove: (id) => table.remove(id),
    reset: () => table.reset(),
  }
}
