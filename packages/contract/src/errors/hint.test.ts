import { expect, it } from 'vitest'
import { BFF_ERRORS } from './bffErrors.js'
import { MEETINGS_PARAMS } from '../service/meetingsParams.js'
import { MEETING_FIELDS } from '../service/meetings.js'
import { PRODUCT_NAMES } from '../service/products.js'
import { SESSION_ID_MAX_LENGTH } from '../service/limits.js'
import { hintText, type Seen } from './hint.js'

const HINT = { page: 'It was {status} with a page.', otherwise: 'It was something else.' }
const hint = (seen?: Seen): string => hintText(HINT, seen)

it('says the text of the cause, with what was seen', () => {
  expect(hint({ cause: 'page', status: 200 })).toBe('It was 200 with a page.')
  expect(hint({ cause: 'page' })).toBe('It was  with a page.')
  expect(hintText('One cause.', { cause: 'page' })).toBe('One cause.')
})

it('has a text for a cause that it does not know, and for none', () => {
  for (const seen of [undefined, { cause: 'toString' }, { cause: '__proto__' }, { cause: 'later' }])
    expect(hint(seen)).toBe('It was something else.')
})

it('takes a value for a text, whatever is in it', () => {
  expect(hint({ cause: 'page', status: '$& {status}' })).toBe('It was $& {status} with a page.')
})

const LONG: Readonly<Record<string, string>> = {
  to: 'https://a-long-name-of-a-login.identity.example.com',
  option: 'meetings.baseUrl',
  got: ' It is a text of 1,234 characters.',
  expected: ', but must be an ISO 8601 time',
  value: '"2026-01-01T00:00:00.000000Z"',
  path: 'data.usage_type',
  reason: 'its authority is not known here, or a certificate between is missing',
  failure: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  type: 'application/vnd.api+json',
  origin: ' https://a-long-name.app.example.com',
  header: 'x-forwarded-proto',
  own: ', http://127.0.0.1:3000,',
}

it('S63 each line for an operator has at most 300 characters', () => {
  for (const [code, { hint: row }] of Object.entries(BFF_ERRORS)) {
    if (typeof row === 'string') continue
    for (const cause of Object.keys(row)) {
      const line = `[stagepass] ${code}: ${hintText(row, { ...LONG, cause })} (request 123456789012345678901)`
      expect(line.length <= 375 ? '' : `${line.length} ${line}`).toBe('')
      expect(hintText(row, { ...LONG, cause }).length <= 300 ? '' : hintText(row, { ...LONG, cause })).toBe(
        '',
      )
    }
  }
})

it('has the limits and words of the tables', () => {
  const { hint: rules } = BFF_ERRORS.VALIDATION_ERROR
  for (const { name } of Object.values(MEETINGS_PARAMS)) expect(rules).toHaveProperty(name)
  const { pageSize, ownership, sortBy, order, search, tags } = MEETINGS_PARAMS
  expect(rules.usage_type).toContain(PRODUCT_NAMES.join(', '))
  expect(rules.session_id).toContain(` ${SESSION_ID_MAX_LENGTH} characters`)
  expect(rules.limit).toContain(` ${pageSize.schema.maximum}.`)
  expect(rules.ownership).toContain(ownership.schema.enum.join(', '))
  expect(rules.sort_by).toContain(sortBy.schema.enum.join(', '))
  expect(rules.order).toContain(order.schema.enum.join(', '))
  expect(rules.q).toContain(` ${search.schema.maxLength} characters`)
  expect(rules.tags).toContain(` ${tags.schema.maxItems} tag ids`)
  expect(rules.fields).toContain(MEETING_FIELDS.join(', '))
})
