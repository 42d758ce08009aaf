/**
 * Rows by id. A test may read and change them while the emulator runs. `reset()` of the emulator restores the
 * initial rows.
 */
export interface Table<TRow extends object, TInput extends object = TRow> {
  readonly size: number
  get(id: string): TRow | undefined
  /** All rows in the order in which they were added. */
  all(): TRow[]
  /** Adds a row, or replaces the row with the same id. */
  add(row: TInput): void
  /** Changes the fields that are not `undefined`. Throws if there is no such row. */
  update(id: string, change: Partial<TInput>): TRow
  /** False if there was no such row. */
  remove(id: string): boolean
}

interface TableOptions<TRow extends object, TInput extends object> {
  /** For messages. */
  readonly name: string
  readonly idOf: (row: TRow) => string
  readonly rows?: readonly TRow[]
  /** At least this many of the newest rows are kept, and fewer than twice as many. Default: no limit. */
  readonly maxRows?: number
  /**
   * Converts the argument of `add`, or a changed row, to a row. Throws if it is not valid. Default: rows are
   * used unchanged.
   */
  readonly read?: (input: TInput) => TRow
}

export function createTable<TRow extends object, TInput extends object = TRow>(
  options: TableOptions<TRow, TInput>,
): Table<TRow, TInput> & { reset(): void } {
  const { name, idOf, rows = [], maxRows = Infinity } = options
  // The casts: without `read`, the two types are the same.
  const read = options.read ?? ((input: TInput) => input as object as TRow)
  // Copies the rows, because a test's changes to a row must not survive a reset.
  const start = (): Map<string, TRow> => new Map(rows.map((row) => [idOf(row), structuredClone(row)]))
  let byId = start()

  return {
    get size() {
      return byId.size
    },
    get: (id) => byId.get(id),
    all: () => [...byId.values()],
    add(input) {
      const row = read(input)
      byId.set(idOf(row), row)
      // Removed in bulk, because removing the first key of a map at every addition gets slower each time.
      if (byId.size >= 2 * maxRows) byId = new Map([...byId].slice(-maxRows))
    },
    update(id, change) {
      const act = `Failed to update a row of ${name}`
      const row = byId.get(id)
      if (!row) throw new Error(`${act}: there is no "${id}". Add it first, or look at .all().`)
      const given = Object.entries(change).filter(([, value]) => value !== undefined)
      const changed = read({ ...row, ...Object.fromEntries(given) } as object as TInput)
      if (idOf(changed) !== id)
        throw new Error(`${act}: "${id}" keeps its id. Remove the row, and add one with the other id.`)
      return Object.assign(row, changed)
    },
    remove: (id) => byId.delete(id),
    reset() {
      byId = start()
    },
  }
}
