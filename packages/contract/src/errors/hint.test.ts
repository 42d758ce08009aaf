import { expect, it } from 'vitest'
import { BFF_ERRORS, type BffErrorRow } from './bffErrors.js'
import { MEETINGS_PARAMS } from '../service/meetingsParams.js'
import { MEETING_FIELDS } from '../service/meetingFields.js'
import { PRODUCT_NAMES } from '../service/products.js'
import { SESSION_ID_MAX_LENGTH } from '../service/limits.js'
import { hintText, type Seen } from './hint.js'
import { requestRules } from './requestRules.js'

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
  option: 'meetings.baseUrl',
  got: ' It is a text of 1,234 characters.',
  expected: 'at most 8,192 long, because it comes back in a request',
  value: 'a text with a character that no header can contain',
  path: 'data.usage_type',
  part: 'meeting',
  failure: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  type: 'application/vnd.api+json',
  more: 'values, or different names, than a page of the service has',
  origin: ' https://a-long-name.app.example.com',
  own: ', http://127.0.0.1:3000,',
  name: 'expiration_ttl',
  variable: 'HTTPS_PROXY',
  wait: ' (Retry-After: 3600 s)',
}

/** The longest words for what was seen, by the cause. */
const WHAT: Readonly<Record<string, string>> = {
  elsewhere: ', a redirect to a-long-name-of-a-login.identity.example.com',
  changed: 'it is not JSON in UTF-8: it may be compressed, or in another encoding',
  address: 'the host name could not be resolved',
  certificate: 'its authority, or one between, is not known here',
  http: 'is a 100 (Continue) that was not asked for',
  closed: 'in the middle of the response',
}

it('S63 each line for an operator has at most 300 characters', () => {
  for (const [code, { hint: row }] of Object.entries<BffErrorRow>(BFF_ERRORS)) {
    if (typeof row === 'string') continue
    for (const cause of Object.keys(row)) {
      const rules: readonly (string | undefined)[] =
        cause === 'rule' ? Object.values(requestRules()) : [undefined]
      for (const rule of rules) {
        const text = hintText(row, { ...LONG, cause, rule, what: WHAT[cause] })
        expect(text.length <= 300 ? '' : `${code} ${text.length} ${text}`).toBe('')
      }
    }
  }
})

it('has a rule for each parameter, with the limits and words of the tables', () => {
  const rules = requestRules()
  for (const { name } of Object.values(MEETINGS_PARAMS)) expect(rules).toHaveProperty(name)
  const { pageSize, ownership, search, tags } = MEETINGS_PARAMS
  expect(rules['usage_type']).toBe(`one of ${PRODUCT_NAMES.join(', ')}`)
  expect(rules['expiration_ttl']).toBe(
    'a whole number of minutes (stt, tts, viva: from 5 to 300; vt: from 5 to 1440). Leave it out for 180',
  )
  expect(rules['session_id']).toBe(`a text of at most ${SESSION_ID_MAX_LENGTH} characters`)
  expect(rules['limit']).toBe(`a whole number from 1 to ${pageSize.schema.maximum}`)
  expect(rules['ownership']).toBe(`one of ${ownership.schema.enum.join(', ')}`)
  expect(rules['q']).toBe(`a text of at most ${search.schema.maxLength} characters`)
  expect(rules['from']).toMatch(/^a date or a time .+, and not after `to`$/)
  expect(rules['tags']).toContain(` ${tags.schema.maxItems} tag ids`)
  expect(rules['fields']).toContain(MEETING_FIELDS.join(', '))
})
