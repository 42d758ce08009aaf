import { expect, it } from 'vitest'
import { createTable } from './table.js'

interface Row {
  id: string
}

it('keeps at least the newest rows, and never twice as many', () => {
  const table = createTable<Row>({ name: 'rows', idOf: ({ id }) => id, maxRows: 3 })
  for (let id = 1; id <= 20; id += 1) {
    table.add({ id: String(id) })
    expect(table.size).toBeLessThan(6)
    for (let newest = Math.max(1, id - 2); newest <= id; newest += 1) {
      expect(table.get(String(newest))).toEqual({ id: String(newest) })
    }
  }
})

it('replaces the row of the same id', () => {
  const table = createTable<Row & { value: number }>({ name: 'rows', idOf: ({ id }) => id })
  table.add({ id: 'a', value: 1 })
  table.add({ id: 'a', value: 2 })
  expect(table.all()).toEqual([{ id: 'a', value: 2 }])
  expect(table.remove('a')).toBe(true)
  expect(table.remove('a')).toBe(false)
})
