import { expect, it } from 'vitest'
import * as z from 'zod'
import { InvalidMessage } from './InvalidMessage.js'
import { json } from './json.js'
import type { StandardSchema } from './StandardSchema.js'

it('is JSON in both directions, ignores other text, and does not change bytes', () => {
  const { encode, decode } = json<{ say: string }, unknown>()
  expect(encode({ say: 'hello' })).toBe('{"say":"hello"}')
  expect(decode('{"text":"hello"}')).toEqual([{ text: 'hello' }])
  expect(decode('{')).toEqual([])
  const bytes = new ArrayBuffer(2)
  expect(decode(bytes)[0]).toBe(bytes)
})

it('returns the output of the schema, and an error for a message that does not match', () => {
  const { encode, decode } = json(z.object({ text: z.string(), at: z.array(z.number()).default([]) }))
  expect(decode('{"text":"hello","more":1}')).toEqual([{ text: 'hello', at: [] }])
  const bytes = new ArrayBuffer(2)
  expect(decode(bytes)[0]).toBe(bytes)
  expect(encode({ say: 'hello' })).toBe('{"say":"hello"}')

  const data = '{"text":"hello","at":[1,"2"]}'
  const [wrong] = decode(data)
  expect(wrong).toBeInstanceOf(InvalidMessage)
  expect(wrong).toMatchObject({ name: 'InvalidMessage', data, issues: [{ path: ['at', 1] }] })
  expect((wrong as InvalidMessage).message).toMatch(/^Failed to read a message: at\.1: Invalid input.*\.$/)
  const [notJson] = decode('{')
  expect((notJson as InvalidMessage).message).toBe('Failed to read a message: it is not JSON.')
})

it('refuses an asynchronous schema, and accepts any other that follows the standard', () => {
  const schemaOf = (validate: StandardSchema<number>['~standard']['validate']): StandardSchema<number> => ({
    '~standard': { version: 1, vendor: 'test', validate },
  })
  expect(json(schemaOf((value) => ({ value: Number(value) + 1 }))).decode('1')).toEqual([2])
  const path = [{ key: 'rows' }, 0]
  const issues = [{ message: 'no', path }, { message: 'never' }]
  expect(json(schemaOf(() => ({ issues }))).decode('1')).toEqual([
    expect.objectContaining({ message: 'Failed to read a message: rows.0: no; never.' }),
  ])
  expect(() => json(schemaOf(() => Promise.resolve({ value: 1 }))).decode('1')).toThrow(
    'Failed to read a message: the schema is asynchronous. Give a synchronous one.',
  )
})
