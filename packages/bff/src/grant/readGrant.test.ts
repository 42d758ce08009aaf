import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { AuthorizeError } from './AuthorizeError.js'
import { readGrant } from './readGrant.js'

const COMMON = {
  apiKey: 'vk_1',
  meetings: { fieldNames: new Set(['id', 'title', 'owner']), account: 'main' },
}
const credential = 'vm_1'

const problemOf = (granted: unknown): string => {
  try {
    readGrant(granted, COMMON)
  } catch (error) {
    if (error instanceof AuthorizeError) return error.message
    throw error
  }
  return 'none'
}

describe('a grant that is refused, and the message for the developer', () => {
  const NO_OBJECT = 'is not an object. Return an object, or null if the user has no access.'
  const USER =
    'The grant\'s "user" is not a string of 1 to 512 characters. Return a stable id, such as String(user.id).'
  const PRODUCTS = 'The grant\'s "products" is not a list of products. Use stt, tts, viva, vt.'
  const TTL = 'The grant\'s "maxTtlMinutes" is not a whole number of at least 5 minutes.'
  const SESSION = 'The grant\'s "sessionId" is not a string of at most 255 characters.'
  const OWNERSHIP = 'The grant\'s "meetings.ownership" is not one of all, mine, shared.'
  const UNKNOWN_FIELD =
    'The grant\'s "meetings.fields" names an unknown field. Use id, title, owner, or add it to meetings.wire.extraFields.'
  const WEIGHT = 'The grant\'s "meetings.weight" is not a number from 0.01 to 100.'
  const ofCredential = (fault: string) =>
    `The grant's "meetings.credential" cannot be used: ${fault}. Return the bearer credential, or a function that returns it.`

  it.each<readonly [string, readonly unknown[]]>([
    [`The grant ${NO_OBJECT}`, [true, 7, 'ada', [], ['ada'], null, undefined, () => ({ user: 'ada' })]],
    [
      'The grant has an unknown key "toString". Use only: user, products, maxTtlMinutes, sessionId, apiKey, account, usage, sessions, maxSessionMinutes, streamQuery, accountUsage, meetings.',
      [{ user: 'ada', toString: 1 }],
    ],
    ['The grant has an unknown key "product". Did you mean "products"?', [{ user: 'ada', product: ['stt'] }]],
    [USER, [{}, { user: '' }, { user: 7 }, { user: null }, { user: ['ada'] }, { user: 'x'.repeat(513) }]],
    [
      PRODUCTS,
      ['stt', {}, null, ['stt', 'asr'], ['asr', 'stt']].map((products) => ({ user: 'a', products })),
    ],
    [
      TTL,
      [4, 4.5, 5.5, '60', Number.NaN, Infinity, -5, 60n, null].map((maxTtlMinutes) => ({
        user: 'a',
        maxTtlMinutes,
      })),
    ],
    [SESSION, [7, null, {}, 'x'.repeat(256)].map((sessionId) => ({ user: 'a', sessionId }))],
    [
      'The grant\'s "usage" is not an object. Return { minutesPerDay: 60 }, or {} if minutes are only counted.',
      [null, 60, 'x', []].map((usage) => ({ user: 'a', usage })),
    ],
    [
      'The grant\'s "usage" has an unknown key "minutesPerDays". Did you mean "minutesPerDay"?',
      [{ user: 'a', usage: { minutesPerDays: 60 } }],
    ],
    [
      'The grant\'s "usage.minutesPerDay" has an unknown key "asr". Use only: stt, tts, viva, vt.',
      [{ user: 'a', usage: { minutesPerDay: { asr: 60 } } }],
    ],
    [
      'The grant\'s "usage.minutesPerDay" is not a whole number of minutes from 0 to 1000000. Return a number, or a number for each product.',
      [-1, 0.5, 1_000_001, '60', Number.NaN, Infinity, 60n, { vt: '20' }].map((minutesPerDay) => ({
        user: 'a',
        usage: { minutesPerDay },
      })),
    ],
    [
      'The grant\'s "meetings" is not an object. Return { credential } with the bearer credential of the meetings interface, or leave it out.',
      [null, 'vm_1', true, []].map((meetings) => ({ user: 'a', meetings })),
    ],
    [
      'The grant\'s "meetings" has an unknown key "owner". Use only: account, credential, ownership, fields, weight.',
      [{ user: 'a', meetings: { credential, owner: 'mine' } }],
    ],
    [ofCredential('it is missing'), [{ user: 'a', meetings: {} }]],
    [ofCredential('it is empty'), [{ user: 'a', meetings: { credential: '' } }]],
    [
      OWNERSHIP,
      ['owned', '', null, 1].map((ownership) => ({ user: 'a', meetings: { credential, ownership } })),
    ],
    [
      UNKNOWN_FIELD,
      [
        ['title', 'nothing'],
        ['nothing', 'title'],
      ].map((fields) => ({ user: 'a', meetings: { credential, fields } })),
    ],
    [
      'The grant\'s "meetings.fields" is not a list of names of fields.',
      ['title', null, { every: () => true }, [7]].map((fields) => ({
        user: 'a',
        meetings: { credential, fields },
      })),
    ],
    [
      'The grant\'s "usage.minutesPerDay.vt" is not a whole number of minutes from 0 to 1000000. Return a number, or a number for each product.',
      [-1, 1_000_001].map((vt) => ({ user: 'a', usage: { minutesPerDay: { vt } } })),
    ],
    [
      WEIGHT,
      [0, 0.009, 100.1, -1, Number.NaN, '2', null].map((weight) => ({
        user: 'a',
        meetings: { credential, weight },
      })),
    ],
    [
      'The grant\'s "streamQuery.stt" has the name of a secret, "session_key". The address goes to the page: leave it out. The page adds its token itself.',
      [{ user: 'a', streamQuery: { stt: { session_key: 'x' } } }],
    ],
    [
      'The grant\'s "streamQuery.vt.mode" is not a text of at most 256 characters, a number, true or false.',
      ['x'.repeat(257), 'a\nb', '\uD800', null, {}, Number.NaN, Infinity].map((mode) => ({
        user: 'a',
        streamQuery: { vt: { mode } },
      })),
    ],
    [
      'The grant\'s "streamQuery" contains a key or credential, and the page sees it. Leave it out: the page adds its token itself.',
      [{ user: 'a', streamQuery: { stt: { mode: `x${credential}` } }, meetings: { credential } }],
    ],
  ])('%s', (sentence, grants) => {
    const withoutKind = grants.map((granted) =>
      problemOf(granted).replace(/(?<!cannot be used): it is [\w ]+(?=\. |\.$)/, ''),
    )
    expect(withoutKind).toEqual(grants.map(() => sentence))
  })

  it.each([
    [undefined, 'it is undefined'],
    [null, 'it is null'],
    [Number.NaN, 'it is NaN'],
    [true, 'it is true'],
    [7, 'it is a number'],
    ['', 'it is empty'],
    ['x'.repeat(513), 'it is a text of 513 characters'],
    [['ada'], 'it is a list'],
    [{ id: 'ada' }, 'it is an object'],
    [() => 'ada', 'it is a function'],
    [5n, 'it is a bigint'],
  ])('says what was seen, and not the value: %s', (user, seen) => {
    expect(problemOf({ user })).toBe(
      `The grant's "user" is not a string of 1 to 512 characters: ${seen}. Return a stable id, such as String(user.id).`,
    )
  })

  it.each<readonly [unknown, string]>([
    [{ user: Promise.resolve('ada') }, '\'s "user" is a Promise. Await it.'],
    [
      { user: 'ada', usage: { minutesPerDay: Promise.resolve(5) } },
      '\'s "usage.minutesPerDay" is a Promise.',
    ],
    [{ user: 'ada', meetings: Promise.resolve({ credential }) }, '\'s "meetings" is a Promise. Await it.'],
    [{ user: 'ada', maxTtlMinutes: Number.NaN }, 'at least 5 minutes: it is NaN.'],
    [{ user: 'ada', products: 'stt' }, 'is not a list of products: it is a text of 3 characters. Use stt,'],
    [{ user: 'ada', meetings: { credential: 5 } }, 'cannot be used: it is a number, not a string.'],
  ])('%j', (granted, seen) => expect(problemOf(granted)).toContain(seen))
})

it('S44 a grant with "usage" needs the secret of all instances if they share a Redis', () => {
  const options = { ...COMMON, redis: {} }
  expect(() => readGrant({ user: 'ada', usage: {} }, options)).toThrow('Set "userSecret" to a random text')
  expect(readGrant({ user: 'ada' }, options).usage).toBeUndefined()
  expect(readGrant({ user: 'ada', usage: {} }, { ...options, userSecret: 'x' }).usage).toBeDefined()
})

it('a grant that contains itself is refused as any other', () => {
  const grant: Record<string, unknown> = { user: 'ada', usage: {} }
  grant['usage'] = { minutesPerDay: grant }
  expect(problemOf(grant)).toContain('"usage.minutesPerDay" has an unknown key "user"')
})

describe('a grant that is accepted', () => {
  it('has the defaults', () => {
    expect(readGrant({ user: 'ada' }, COMMON)).toEqual({
      user: 'ada',
      products: ['stt', 'tts', 'viva', 'vt'],
      maxTtlMinutes: undefined,
      sessionId: undefined,
      meetings: undefined,
    })
  })

  it.each([
    { user: 'x'.repeat(512) },
    { user: 'ada', products: [] },
    { user: 'ada', products: ['vt', 'stt'], maxTtlMinutes: 5, sessionId: 'x'.repeat(255) },
    { user: 'ada', maxTtlMinutes: 100_000, sessionId: '' },
    { user: 'ada', meetings: { credential, ownership: 'mine', fields: [], weight: 0.01 } },
    { user: 'ada', meetings: { credential: () => 'vm_2', ownership: 'all', fields: ['owner'], weight: 100 } },
    { user: 'ada', meetings: { credential, ownership: 'shared', weight: 2.5 } },
  ])('%j', (granted) => {
    expect(readGrant(granted, COMMON)).toMatchObject(granted)
  })

  it.each<[string, unknown, unknown]>([
    ['no limit', undefined, {}],
    ['one for each product', 60, { stt: 3_600_000, tts: 3_600_000, viva: 3_600_000, vt: 3_600_000 }],
    ['none left', 0, { stt: 0, tts: 0, viva: 0, vt: 0 }],
    ['those of some products', { stt: 1_000_000, vt: 0 }, { stt: 60_000_000_000, vt: 0 }],
  ])('has the minutes of a day in milliseconds: %s', (_what, minutesPerDay, dayMs) => {
    expect(readGrant({ user: 'ada', usage: { minutesPerDay } }, COMMON).usage).toEqual({ dayMs, monthMs: {} })
    expect(
      readGrant({ user: 'ada', accountUsage: { minutesPerMonth: minutesPerDay } }, COMMON).accountUsage,
    ).toEqual({
      dayMs: {},
      monthMs: dayMs,
    })
  })

  it('needs no key of its own for products, nor one of the options if it has one', () => {
    const { meetings } = COMMON
    const own = { user: 'ada', account: 'acme', apiKey: 'vk_acme' }
    expect(readGrant(own, { meetings })).toMatchObject({ account: 'acme', apiKey: 'vk_acme' })
    expect(readGrant(own, COMMON)).toMatchObject({ account: 'acme', apiKey: 'vk_acme' })
    expect(readGrant({ user: 'ada', account: 'acme' }, COMMON).apiKey).toBeUndefined()
    expect(readGrant({ user: 'ada', products: [] }, { meetings }).apiKey).toBeUndefined()
  })

  it('ignores names that a careless merge leaves behind', () => {
    const merged = JSON.parse(
      '{"user":"ada","__proto__":{"products":[]},"constructor":1,"prototype":2}',
    ) as object
    expect(readGrant(merged, COMMON)).toEqual(readGrant({ user: 'ada' }, COMMON))
  })
})

it('S9 a grant has only its own properties, whatever the host has added to all objects', () => {
  const inherited = {
    user: 'eve',
    products: ['vt'],
    maxTtlMinutes: 600,
    sessionId: 's',
    usage: {},
    minutesPerDay: 1,
    stt: 1,
    meetings: { credential },
    apiKey: 'vk_2',
    account: 'other',
    credential: 'vm_2',
    ownership: 'mine',
    fields: ['title'],
    weight: 100,
  }
  for (const [name, value] of Object.entries(inherited))
    // oxlint-disable-next-line no-extend-native -- this is what a host may have done
    Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true })
  const read = (granted: unknown) => {
    const { user, maxTtlMinutes, sessionId, usage, meetings, products } = readGrant(granted, COMMON)
    const { account, credential: key, ownership, fields, weight } = meetings ?? Object.create(null)
    const limits = usage && [usage.dayMs.stt, usage.dayMs.vt]
    return [user, products.length, maxTtlMinutes, sessionId, limits, account, key, ownership, fields, weight]
  }
  try {
    const none = Array.from({ length: 7 })
    expect(read({ user: 'ada' })).toEqual(['ada', 4, undefined, undefined, undefined, ...none.slice(2)])
    const own = { user: 'ada', usage: { minutesPerDay: { vt: 2 } }, meetings: { credential: 'vm_3' } }
    const limits = [undefined, 120_000]
    expect(read(own)).toEqual(['ada', 4, undefined, undefined, limits, undefined, 'vm_3', ...none.slice(4)])
    const bare = Object.assign(Object.create(null) as object, own)
    expect(read(bare)).toEqual(read(own))
    expect(problemOf({})).toContain('"user"')
  } finally {
    for (const name of Object.keys(inherited)) Reflect.deleteProperty(Object.prototype, name)
  }
})

describe('S64 a grant that is not plain data is refused', () => {
  const limits = { products: ['stt'], maxTtlMinutes: 5, usage: { minutesPerDay: 5 } }
  class Plan {
    user = 'ada'
    get products(): string[] {
      return ['stt']
    }
  }
  class Rights {
    credential = credential
    get fields(): string[] {
      return []
    }
  }
  const inheriting = (own: object, inherited: object): object =>
    Object.assign(Object.create(inherited) as object, own)
  const hidden = (own: object, key: PropertyKey, value: unknown): object =>
    Object.defineProperty({ ...own }, key, { value })
  const showing = (own: object, shown: string, value: unknown): object =>
    new Proxy(own, { get: (target, key) => (key === shown ? value : (Reflect.get(target, key) as unknown)) })
  const accessor = <TValue extends object>(own: TValue, key: PropertyKey, get: () => unknown): TValue =>
    Object.defineProperty(own, key, { get, enumerable: true })

  it.each<readonly [string, unknown, string]>([
    ['an instance of a class', new Plan(), 'The grant inherits from a class'],
    ['limits of a shared object', inheriting({ user: 'ada' }, limits), 'The grant inherits from a class'],
    [
      'limits of a shared object without a prototype',
      inheriting({ user: 'ada' }, Object.assign(Object.create(null) as object, limits)),
      'The grant inherits from a class',
    ],
    ['a map', new Map([['user', 'ada']]), 'The grant inherits from a class'],
    ['usage as a map', { user: 'ada', usage: new Map() }, '"usage" inherits from a class'],
    [
      'inherited minutes',
      { user: 'ada', usage: inheriting({}, { minutesPerDay: 5 }) },
      '"usage" inherits from a class',
    ],
    [
      'inherited minutes of a product',
      { user: 'ada', usage: { minutesPerDay: inheriting({}, { stt: 5 }) } },
      '"usage.minutesPerDay" inherits from a class',
    ],
    [
      'rights to meetings as a class',
      { user: 'ada', meetings: new Rights() },
      '"meetings" inherits from a class',
    ],
    [
      'an inherited ownership',
      { user: 'ada', meetings: inheriting({ credential }, { ownership: 'mine' }) },
      '"meetings" inherits from a class',
    ],
    ['an accessor', accessor({ user: 'ada' }, 'products', () => ['stt']), '"products" is an accessor'],
    [
      'an accessor in meetings',
      { user: 'ada', meetings: accessor({ credential }, 'fields', () => []) },
      '"meetings.fields" is an accessor',
    ],
    [
      'an accessor in a list',
      { user: 'ada', products: accessor(['stt'], 0, () => 'vt') },
      '"products.0" is an accessor',
    ],
    ['a hidden limit', hidden({ user: 'ada' }, 'maxTtlMinutes', 5), '"maxTtlMinutes" is hidden'],
    [
      'a hidden list of fields',
      { user: 'ada', meetings: hidden({ credential }, 'fields', []) },
      '"meetings.fields" is hidden',
    ],
    ['a symbol', { user: 'ada', [Symbol('products')]: ['stt'] }, '"Symbol(products)" is hidden'],
    [
      'a proxy that shows a limit',
      showing({ user: 'ada' }, 'products', ['stt']),
      '"products" is shown by a proxy',
    ],
    [
      'a proxy that shows the minutes of a product',
      { user: 'ada', usage: { minutesPerDay: showing({}, 'stt', 5) } },
      '"usage.minutesPerDay.stt" is shown by a proxy',
    ],
    [
      'a proxy without a prototype that shows the fields',
      {
        user: 'ada',
        meetings: showing(Object.assign(Object.create(null) as object, { credential }), 'fields', []),
      },
      '"meetings.fields" is shown by a proxy',
    ],
  ])('%s', (_what, granted, problem) => {
    expect(problemOf(granted)).toContain(problem)
    expect(problemOf(granted)).toContain(
      'Return plain data with each key written out, such as { user: user.id, products: user.products }.',
    )
  })

  it.each([
    ['another realm', runInNewContext(`({ user: 'ada', products: ['stt'], usage: { minutesPerDay: 5 } })`)],
    [
      'JSON of another realm',
      runInNewContext(`JSON.parse('{"user":"ada","products":["stt"],"usage":{"minutesPerDay":5}}')`),
    ],
    ['no prototype', Object.assign(Object.create(null) as object, { user: 'ada', ...limits })],
    ['a frozen literal', Object.freeze({ user: 'ada', ...limits })],
    ['a clone', structuredClone({ user: 'ada', ...limits })],
    ['a proxy of plain data', new Proxy({ user: 'ada', ...limits }, {})],
    [
      'a proxy that shows another value',
      showing({ user: 'ada', ...limits, products: [] }, 'products', ['stt']),
    ],
    ['lists of a class', { user: 'ada', ...limits, products: class extends Array<string> {}.from(['stt']) }],
  ])('but that of %s is read', (_what, granted) => {
    const { user, products, usage } = readGrant(granted, COMMON)
    expect({ user, products, usage }).toEqual({
      user: 'ada',
      products: ['stt'],
      usage: { dayMs: { stt: 300_000, tts: 300_000, viva: 300_000, vt: 300_000 }, monthMs: {} },
    })
  })
})
