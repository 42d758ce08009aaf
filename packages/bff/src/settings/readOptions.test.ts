import { Agent } from 'node:http'
import { ASSUMED_MEETINGS_WIRE } from '@stagepass/contract'
import { describe, expect, it } from 'vitest'
import { type BffOptions, createBff } from '../index.js'
import { createBff as createBffOfPage } from '../hosts/fetch/browser.js'
import { readOptions } from './readOptions.js'

const good: BffOptions = {
  apiKey: 'key',
  baseUrl: 'https://api.example.com',
  streamingUrl: 'wss://stream.example.com',
  authorize: () => null,
}

it('a dispatcher is refused if requests could not use it', () => {
  expect(() =>
    createBffOfPage({ ...good, authorize: () => null, dispatcher: { dispatch: () => true } }),
  ).toThrow(
    'Failed to create the BFF: "dispatcher" has no effect in this runtime, which has only the global fetch. Leave it out.',
  )
})

describe('a bad option throws a sentence with its remedy', () => {
  it.each<readonly [object, string]>([
    [
      { baseUrl: undefined },
      '"baseUrl" is missing, or is not an absolute address. Use one such as https://api.example.com (http: only on loopback); is its environment variable set?',
    ],
    ...['', '/', '//'].map(
      (end) =>
        [
          { baseUrl: `https://x.example/v2/sdk/tokens/session${end}` },
          '"baseUrl" ends in /v2/sdk/tokens/session. Remove this part: the BFF adds it.',
        ] as const,
    ),
    ...['/stt', '/tts', '/vt', '/voice-isolation'].map(
      (path) =>
        [
          { streamingUrl: `wss://x.example/v1${path}` },
          `"streamingUrl" ends in ${path}. Remove this part: the BFF adds it.`,
        ] as const,
    ),
    [
      { meetings: { baseUrl: 'https://x.example/v1/meetings' } },
      '"meetings.baseUrl" ends in /meetings. Remove this part: the BFF adds it.',
    ],
    [
      { meetings: { baseUrl: 'https://x.example/v1/data/records/', wire: { listPath: '/data/records' } } },
      '"meetings.baseUrl" ends in /data/records. Remove this part: the BFF adds it.',
    ],
    [{ deadlineMs: 0 }, '"deadlineMs" is not a whole number from 1 to 600000. Leave it out for 10000.'],
    [
      { deadlineMs: '5000' },
      '"deadlineMs" is not a whole number from 1 to 600000: it is a text of 4 characters. Leave it out for 10000.',
    ],
    [
      { deadlineMs: Number.NaN },
      '"deadlineMs" is not a whole number from 1 to 600000: it is NaN. Leave it out for 10000.',
    ],
    ...['authorization', 'AUTHORIZATION', 'token', 'api_key', 'apiKey', 'client-secret'].map(
      (name) =>
        [
          { streamQuery: { stt: { [name]: 'x' } } },
          `"streamQuery.stt" has the name of a secret, "${name}". The address goes to the page: leave it out. The page adds its token itself.`,
        ] as const,
    ),
    [
      { streamQuery: { stt: { 'a b': 'x' } } },
      '"streamQuery.stt" has a name that is not 1 to 64 letters, digits and . _ -.',
    ],
    [
      { apiKey: 'sk_live_1', streamQuery: { tts: { voice: 'sk_live_1' } } },
      '"streamQuery" contains a key or credential, and the page sees it. Leave it out: the page adds its token itself.',
    ],
    [{ streamQuery: { asr: {} } }, '"streamQuery" has an unknown key "asr". Use only: stt, tts, viva, vt.'],
    [
      { meetings: { wire: { maxPageSize: 101 } } },
      '"meetings.wire.maxPageSize" is not a whole number from 1 to 100. Use the largest page of the service.',
    ],
    [
      { meetings: { wire: { fields: 'no' } } },
      '"meetings.wire.fields" is neither true nor false. Use one of them.',
    ],
    [{ deadlineMs: Promise.resolve(5) }, '"deadlineMs" is a Promise. Await it.'],
    [{ authorize: undefined }, '"authorize" is missing or not a function: it is undefined. Pass one that'],
    [{ authorize: Promise.resolve(() => null) }, '"authorize" is a Promise. Await it.'],
    [{ apiKey: Promise.resolve('k') }, '"apiKey" is a Promise. Await it.'],
    [{ apiKey: null }, '"apiKey" cannot be used: it is null, not a string. Pass the key as'],
    [{ meetings: Promise.resolve({}) }, '"meetings" is a Promise. Await it.'],
    [
      { meetings: { wire: { params: Promise.resolve({}) } } },
      '"meetings.wire.params" is a Promise. Await it.',
    ],
    [{ meetings: true }, '"meetings" is not an object: it is true.'],
    [{ redis: Promise.resolve({}) }, '"redis" is a Promise. Await it.'],
    [
      { baseUrl: new URL('https://api.example.com') },
      '"baseUrl" is an object, not a text. Use one such as https://api.example.com; for a URL, pass its href.',
    ],
    [
      { userSecret: 'x'.repeat(31) },
      '"userSecret" is not a text of 32 characters or more: it is a text of 31 characters. Use a random one',
    ],
    [
      { userSecret: `"${'x'.repeat(40)}"` },
      '"userSecret" cannot be used: it is in quotation marks, which docker --env-file keeps',
    ],
    [
      { limits: { tokensPerMinute: 0 } },
      '"limits.tokensPerMinute" is not a whole number from 1 to 1000000000. Leave it out for 30.',
    ],
    [{ limits: { meetingsPerMinute: -1 } }, '"limits.meetingsPerMinute" is not a whole number'],
    [
      { limits: { tokensPerHour: 1 } },
      '"limits" has an unknown key "tokensPerHour". Use only: tokensPerMinute, meetingsPerMinute, vitalsPerMinute, sessionsPerMinute.',
    ],
    [
      { apiKey: '"vk_1"' },
      '"apiKey" cannot be used: it is in quotation marks, which docker --env-file keeps: write it without them.',
    ],
    [
      { allowedOrigins: ['*'] },
      '"allowedOrigins" is not a list of origins. A pattern with "*" would allow pages of others. List each origin.',
    ],
    ...Object.entries({
      null: 'Any sandboxed frame, file and redirect sends "null".',
      'file://': 'Browsers send "null" for pages of file:,',
      'file:///C:/app/index.html': 'Browsers send "null" for pages of file:,',
      'data:text/html,x': 'Browsers send "null" for pages of data:,',
      'blob:https://a.example/1': 'Browsers send "null" for pages of blob:,',
      'wss://a.example': 'No page has an address of wss:.',
      'app.example.com': 'An item has no scheme.',
      '': 'An item has no scheme.',
      'capacitor://Localhost': 'An item has capitals,',
      'Capacitor://localhost': 'An item has capitals,',
      'capacitor://localhost/': 'An item has capitals, a user, a path, a final slash,',
      'tauri://localhost/index.html': 'An item has capitals,',
      'tauri://user@localhost': 'An item has capitals,',
      'app://voice.': 'An item has capitals,',
      'app://': 'An item has capitals,',
      'app:voice': 'An item has capitals,',
      'app://a b': 'An item has capitals,',
      'app://a\nb': 'An item has capitals,',
      'chrome-extension://*': 'A pattern with "*"',
      'https://a.example:443': 'An item has capitals,',
    }).map(
      ([origin, problem]) =>
        [
          { allowedOrigins: ['https://a.example', origin] },
          `"allowedOrigins" is not a list of origins. ${problem}`,
        ] as const,
    ),
    [{ allowedOrigins: [5] }, '"allowedOrigins" is not a list of origins. An item is not a text.'],
    [{ allowedOrigins: ['https://a.example/'] }, '"allowedOrigins" is not a list of origins.'],
    [{ allowedOrigins: ['https://A.example'] }, '"allowedOrigins" is not a list of origins.'],
    [{ allowedOrigins: ['null'] }, '"allowedOrigins" is not a list of origins.'],
    ...['https://*.example.com', 'https://a.example.', 'https://a.example.:8443'].map(
      (origin) => [{ allowedOrigins: [origin] }, '"allowedOrigins" is not a list of origins.'] as const,
    ),
    [{ allowedOrigins: 'https://a.example' }, '"allowedOrigins" is not a list of origins: it is a text of'],
    ...Object.entries({
      allowedOrigin: 'allowedOrigins',
      baseURL: 'baseUrl',
      streamUrl: 'streamingUrl',
      apikey: 'apiKey',
      authorise: 'authorize',
      onEvents: 'onEvent',
    }).map(
      ([name, known]) =>
        [
          { [name]: 'x' },
          `the object of options has an unknown key "${name}". Did you mean "${known}"?`,
        ] as const,
    ),
    [
      { prefix: '/api' },
      'the object of options has an unknown key "prefix". Use only: apiKey, baseUrl, streamingUrl, authorize, ',
    ],
    // A misspelt name is also a missing name.
    [
      { apiKey: undefined, apiKeys: 'x' },
      'the object of options has an unknown key "apiKeys". Did you mean "apiKey"?',
    ],
    [{ 'vk_secret-1': '' }, 'the object of options has an unknown key. Use only: apiKey, '],
    [
      { meetings: { wire: { params: { ordr: 'x' } } } },
      '"meetings.wire.params" has an unknown key "ordr". Did you mean "order"?',
    ],
    [
      { basePath: 'api/voice' },
      '"basePath" is not a path. Use the path of the routes from the root of the server, without a wildcard: /api/voice.',
    ],
    ...[
      '',
      '/api/voice/*',
      '/api/[...path]',
      '/api//voice',
      '/api/../voice',
      '/api?x',
      'https://a.example/api',
      5,
    ].map((basePath) => [{ basePath }, '"basePath" is not a path.'] as const),
    [
      { origin: 'app.example.com' },
      `"origin" is not an origin. Use what the browser's address bar shows, without a path: https://app.example.com. The origin of a page of an application belongs in "allowedOrigins".`,
    ],
    ...['https://a.example/', 'https://A.example', 'ftp://a.example', 'app://x', ['https://a.example']].map(
      (origin) => [{ origin }, '"origin" is not an origin.'] as const,
    ),
    ...[new Agent(), null, 'http://proxy:3128'].map(
      (dispatcher) =>
        [
          { dispatcher },
          '"dispatcher" is not a dispatcher of undici. Pass one such as new ProxyAgent("http://proxy:3128"); an Agent of node:http is not one.',
        ] as const,
    ),
    [
      { dispatcher: { dispatch: () => true }, transport: { send: () => undefined } },
      '"dispatcher" and "transport" are both given. Pass only one: each sends every upstream request.',
    ],
    [{ maskAccountErrors: 'yes' }, '"maskAccountErrors" is not true or false: it is a text of 3 characters.'],
    [{ onEvent: console }, '"onEvent" is not a function: it is an object.'],
    ...[true, {}, { warn: () => undefined }, 'console'].map(
      (logger) =>
        [
          { logger },
          '"logger" has no functions "warn" and "error". Pass one such as console, or false for no lines.',
        ] as const,
    ),
    [
      { meetings: { baseUrl: 'ws://x.example' } },
      '"meetings.baseUrl" begins with ws:. For HTTP requests, use http: instead.',
    ],
    [
      { meetings: { reserve: 25 } },
      '"meetings.reserve" is not a whole number from 0 to 24. Leave it out for 0.',
    ],
    [
      { meetings: { cacheMs: 60_001 } },
      '"meetings.cacheMs" is not a whole number from 0 to 60000. Leave it out for 3000.',
    ],
    [{ meetings: { account: 'a b' } }, '"meetings.account" is not a short name.'],
    [{ meetings: { wire: { listPath: 'meetings' } } }, '"meetings.wire.listPath" is not a path.'],
    ...['/../meetings/{id}', '/meetings/./{id}', '/meetings/{id}/..', '/a\\b/{id}', '/{id}?x'].map(
      (meetingPath) =>
        [{ meetings: { wire: { meetingPath } } }, '"meetings.wire.meetingPath" is not a path.'] as const,
    ),
    [
      { meetings: { wire: { meetingPath: '/meetings' } } },
      '"meetings.wire.meetingPath" does not contain {id} exactly once.',
    ],
    [
      { meetings: { wire: { params: { search: 'q' } } } },
      '"meetings.wire.params" has an unknown key "search".',
    ],
    [
      { meetings: { wire: { params: { q: 'limit' } } } },
      '"meetings.wire.params" has the same name for two roles.',
    ],
    [{ meetings: { wire: { order: { oldest: 'a&b' } } } }, '"meetings.wire.order.oldest" is not a name.'],
    [{ meetings: { wire: { extraFields: [''] } } }, '"meetings.wire.extraFields.0" is not a name.'],
    [{ meetings: { wire: { items: 'data..items' } } }, '"meetings.wire.items" is not a path in a response.'],
    [{ meetings: { wire: { cursor: '' } } }, '"meetings.wire.cursor" is empty.'],
  ])('%j', (change, sentence) => {
    // The values are wrong on purpose.
    const options = { ...good, ...change } as unknown as BffOptions
    expect(() => createBff(options)).toThrow(`Failed to create the BFF: ${sentence}`)
  })

  it.each([
    [undefined, 'is not an object: it is undefined.'],
    [null, 'is not an object: it is null.'],
    ['options', 'is not an object: it is a text of 7 characters.'],
    [Promise.resolve(good), 'is a Promise. Await it.'],
  ])('%s for options', (options, problem) => {
    expect(() => createBff(options as unknown as BffOptions)).toThrow(
      `Failed to create the BFF: the object of options ${problem}`,
    )
  })
})

it('does not repeat a secret in an address', () => {
  for (const baseUrl of ['https://vk_7secret@x.example', 'https://x.example/?key=vk_7secret']) {
    const create = () => createBff({ ...good, apiKey: 'vk_7secret', baseUrl })
    expect(create).toThrow('Failed to create the BFF: "baseUrl"')
    expect(create).not.toThrow('vk_7secret')
  }
})

it('has the defaults of the documentation', () => {
  const { platform: _platform, authorize: _authorize, ...settings } = readOptions(good)
  expect(settings).toEqual({
    apiKey: 'key',
    baseUrl: new URL('https://api.example.com'),
    streamUrls: {
      stt: 'wss://stream.example.com/stt',
      tts: 'wss://stream.example.com/tts',
      viva: 'wss://stream.example.com/voice-isolation',
      vt: 'wss://stream.example.com/vt',
    },
    meetings: {
      baseUrl: new URL('https://api.example.com'),
      wire: ASSUMED_MEETINGS_WIRE,
      fieldNames: new Set([
        'id',
        'title',
        'started_at',
        'duration',
        'status',
        'source',
        'tags',
        'ownership',
        'participants',
      ]),
      account: 'main',
      reserve: 0,
      strict: false,
      cacheMs: 3_000,
    },
    limits: { tokensPerMinute: 30, meetingsPerMinute: 120, vitalsPerMinute: 10, sessionsPerMinute: 600 },
    deadlineMs: 10_000,
    allowedOrigins: new Set(),
    maskAccountErrors: false,
    vitals: false,
    onEvent: undefined,
    logger: console,
    redis: undefined,
  })
})

it('undefined means the default, and the caller’s objects are not changed', () => {
  const params = Object.freeze({ q: 'search', from: undefined })
  const options: BffOptions = Object.freeze({
    ...good,
    limits: Object.freeze({ tokensPerMinute: undefined }),
    meetings: Object.freeze({ reserve: undefined, wire: Object.freeze({ params, order: undefined }) }),
    deadlineMs: undefined,
  })
  const { limits, deadlineMs, meetings } = readOptions(options)
  expect([limits.tokensPerMinute, deadlineMs, meetings.reserve]).toEqual([30, 10_000, 0])
  expect(meetings.wire).toEqual({
    ...ASSUMED_MEETINGS_WIRE,
    params: { ...ASSUMED_MEETINGS_WIRE.params, q: 'search' },
  })
})
