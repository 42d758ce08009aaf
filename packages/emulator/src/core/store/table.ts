/**
 * Rows by id. A test may read and change them while the emulator runs. `reset()` of the emulator restores the
 * first ones.
 */
export interface Table<TRow extends object, TInput extends object = TRow> {
  readonly size: number
  get(id: string): TRow | undefined
  /** All rows in the order in which they were added. */
  all(): TRow[]
  /** Adds a row, or replaces the one of the same id. */
  add(row: TInput): void
  /** Changes some fields. Throws if there is no such row. */
  update(id: string, change: Partial<TInput>): TRow
  /** False if there was no such row. */
  remove(id: string): boolean
}

export interface ResettableTable<TRow extends object, TInput extends object = TRow> extends Table<
  TRow,
  TInput
> {
  reset(): void
}

/** Makes rows of what `add` and `update` are given. Throws if they are not right; then nothing changes. */
export interface RowReader<TRow extends object, TInput extends object> {
  added(input: TInput): TRow
  changed(id: string, change: Partial<TInput>): Partial<TRow>
}

interface TableOptions<TRow extends object, TInput extends object> {
  /** For messages. */
  readonly name: string
  readonly idOf: (row: TRow) => string
  readonly rows?: readonly TRow[]
  /** At least so many of the newest rows are kept, and fewer than twice as many. Default: no bound. */
  readonly maxRows?: number
  readonly onChange?: () => void
  /** Left out if rows are taken as they are. */
  readonly reader?: RowReader<TRow, TInput>
}

export function createTable<TRow extends object, TInput extends object = TRow>(
  options: TableOptions<TRow, TInput>,
): ResettableTable<TRow, TInput> {
  const { name, idOf, rows = [], maxRows = Infinity, onChange, reader } = options
  const byId = new Map<string, TRow>()

  const fill = (): void => {
    byId.clear()
    // A copy: what a test does to a row must not survive a reset, nor reach the rows that the caller gave.
    for (const row of rows) byId.set(idOf(row), structuredClone(row))
  }
  fill()

  // Rows are removed in bulk: removing the first key of a map at every addition gets slower each time.
  const dropOldest = (count: number): void => {
    let left = count
    for (const id of byId.keys()) {
      if (left === 0) return
      byId.delete(id)
      left -= 1
    }
  }

  return {
    get size() {
      return byId.size
    },
    get: (id) => byId.get(id),
    all: () => [...byId.values()],
    add(input) {
      // Without a reader the two types are one.
      const row = reader ? reader.added(input) : (input as object as TRow)
      byId.set(idOf(row), row)
      if (byId.size >= 2 * maxRows) dropOldest(byId.size - maxRows)
    },
    update(id, change) {
      const row = byId.get(id)
      if (!row) {
        throw new Error(
          `Failed to update a row of ${name}: there is no "${id}". Add it first, or look at .all().`,
        )
      }
      const changed = Object.assign(row, reader ? reader.changed(id, change) : change)
      onChange?.()
      return changed
    },
    remove(id) {
      const removed = byId.delete(id)
      onChange?.()
      return removed
    },
    reset: fill,
  }
}
