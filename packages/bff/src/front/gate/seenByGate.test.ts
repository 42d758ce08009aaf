import { expect, it } from 'vitest'
import type { IncomingRequest } from '../http/IncomingRequest.js'
import { seenByGate } from './seenByGate.js'

const APP = 'https://app.example.com'
const PAGE = 'https://page.example.com'

const seen = (
  reason: Parameters<typeof seenByGate>[1],
  headers: Readonly<Record<string, string>>,
  { own, origin }: { own?: string; origin?: string } = { own: APP },
) =>
  seenByGate(
    {
      header: (name: string) => headers[name],
      ownOrigin: () => own,
    } as unknown as IncomingRequest,
    reason,
    { origin },
  )

it('a wrong Origin: both origins, in the form of the sentence', () => {
  expect(seen('origin', { origin: PAGE })).toEqual({
    cause: 'origin',
    site: '',
    origin: ` ${PAGE}`,
    own: `, ${APP},`,
  })
})

it('the option origin is compared, whatever the host says', () => {
  expect(seen('origin', { origin: PAGE, via: '1.1 proxy' }, { own: 'http://10.0.0.1', origin: APP })).toEqual(
    {
      cause: 'origin',
      site: '',
      origin: ` ${PAGE}`,
      own: `, ${APP},`,
    },
  )
})

it('a page of another site: the word of Fetch Metadata, and the origin', () => {
  expect(seen('fetch-site', { 'sec-fetch-site': 'cross-site', origin: PAGE })).toEqual({
    cause: 'fetch-site',
    site: ' cross-site',
    origin: ` of ${PAGE}`,
    own: `, ${APP},`,
  })
})

it('what is missing leaves no gap', () => {
  expect(seen('header', {}, {})).toEqual({
    cause: 'header',
    site: '',
    origin: '',
    own: '',
  })
})

it.each([
  'null',
  'https://page.example.com/path',
  'https://page.example.com?key=1',
  ' https://page.example.com',
  'https://page.example.com\nset-cookie: a',
  `https://${'a'.repeat(101)}`,
  `a${'b'.repeat(32)}://page`,
  '1a://page',
])('no other text in Origin is repeated: %j', (origin) => {
  expect(seen('origin', { origin }, { own: origin })).toMatchObject({ origin: '', own: '' })
})

it.each(['a'.repeat(21), 'cross site', 'CROSS', 'a\nb', '-\u00e9'])(
  'no other word in Sec-Fetch-Site is repeated: %j',
  (site) => {
    expect(seen('fetch-site', { 'sec-fetch-site': site })).toMatchObject({ site: '' })
  },
)
