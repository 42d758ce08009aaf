import { describe, expect, it } from 'vitest'
import {
  MeetingsQuery,
  SessionTokenRequest,
  TranslationConfig,
  TranslationFrame,
  UpstreamTokenEnvelope,
  UpstreamTokenRequest,
} from '../schemas.js'

const fieldOf = (result: { error?: { issues: { path: PropertyKey[]; keys?: string[] }[] } }): unknown => {
  const issue = result.error?.issues[0]
  return issue?.path[0] ?? issue?.keys?.[0]
}

describe('SessionTokenRequest', () => {
  it.each([
    ['stt', 5, undefined],
    ['stt', 300, undefined],
    ['tts', 180, undefined],
    ['viva', 300, undefined],
    ['vt', 1440, undefined],
    ['vt', 301, undefined],
    ['stt', 4, 'expiration_ttl'],
    ['stt', 301, 'expiration_ttl'],
    ['viva', 1440, 'expiration_ttl'],
    ['vt', 1441, 'expiration_ttl'],
    ['stt', 5.5, 'expiration_ttl'],
    ['stt', Number.NaN, 'expiration_ttl'],
    ['stt', '30', 'expiration_ttl'],
    ['stt', -5, 'expiration_ttl'],
    ['stt', null, 'expiration_ttl'],
  ])('for %s and %j minutes the wrong field is: %s', (usage_type, expiration_ttl, field) => {
    const result = SessionTokenRequest.safeParse({ usage_type, expiration_ttl })
    expect([result.success, fieldOf(result)]).toEqual([field === undefined, field])
  })

  it.each([
    ['usage_type', { usage_type: 'asr' }],
    ['usage_type', { usage_type: undefined }],
    ['team', { team: 'a' }],
    ['session_id', { session_id: 'x'.repeat(256) }],
    ['session_id', { session_id: '😀'.repeat(128) }],
    [undefined, { session_id: 'x'.repeat(255) }],
    [undefined, { session_id: '😀'.repeat(127) }],
  ])('refuses by name, and counts in UTF-16 units: %s (%#)', (field, change) => {
    expect(fieldOf(SessionTokenRequest.safeParse({ usage_type: 'stt', ...change }))).toBe(field)
  })
})

it('UpstreamTokenRequest ignores keys that the contract does not name', () => {
  expect(
    UpstreamTokenRequest.parse({ usage_type: 'stt', team_id: 9, metadata: { session_id: 'a', user: 'b' } }),
  ).toEqual({
    usage_type: 'stt',
    metadata: { session_id: 'a' },
  })
})

it('UpstreamTokenEnvelope takes any status, but only a session token', () => {
  const envelope = (data: object): unknown => ({
    code: 0,
    message: 'Success',
    req_id: 'r1',
    data: {
      session_key: 'k',
      expires_at: '2026-11-20T12:00:00Z',
      key_id: 1,
      status: 'LICENSE_VALID',
      type: 'session',
      usage_type: 'stt',
      ...data,
    },
  })
  expect(UpstreamTokenEnvelope.safeParse(envelope({ status: 'active' })).success).toBe(true)
  expect(UpstreamTokenEnvelope.safeParse(envelope({ type: 'master' })).success).toBe(false)
  expect(UpstreamTokenEnvelope.safeParse(envelope({ usage_type: 'asr' })).success).toBe(false)
})

describe('MeetingsQuery', () => {
  it('reads a time with small letters (RFC 3339, 5.6)', () => {
    const times = { from: '2024-01-01t00:00:00z', to: '2024-01-01t09:00:00.5+02:00' }
    expect(MeetingsQuery.parse(times)).toEqual({
      from: '2024-01-01T00:00:00Z',
      to: '2024-01-01T09:00:00.5+02:00',
    })
  })

  it('takes all ten roles and splits the lists', () => {
    expect(
      MeetingsQuery.parse({
        limit: '100',
        cursor: 'c',
        ownership: 'mine',
        sort_by: 'last_modified',
        order: 'oldest',
        q: 'roadmap',
        from: '2026-11-01',
        to: '2026-11-20T10:00:00+02:00',
        tags: 'a,b',
        fields: 'title,participants',
      }),
    ).toMatchObject({ limit: 100, tags: ['a', 'b'], fields: ['title', 'participants'] })
  })

  it.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '1e1'],
    ['limit', '0x10'],
    ['limit[]', '1'],
    ['limit', ['20', '30']],
    ['cursor', ''],
    ['ownership', 'everyone'],
    ['sort_by', 'title'],
    ['order', 'desc'],
    ['order', 'constructor'],
    ['q', ['a', 'b']],
    ['from', 'yesterday'],
    ['to', '2026-13-01'],
    ['tags', 'a,,b'],
    ['fields', ''],
    ['page', '2'],
  ])('refuses %s=%j by name', (key, value) => {
    expect(fieldOf(MeetingsQuery.safeParse({ [key]: value }))).toBe(key)
  })

  it('treats an empty search as no search, and keeps spaces', () => {
    expect(MeetingsQuery.parse({ q: '' }).q).toBeUndefined()
    expect(MeetingsQuery.parse({ q: ' ' }).q).toBe(' ')
  })

  it('refuses a start after the end', () => {
    expect(fieldOf(MeetingsQuery.safeParse({ from: '2026-11-21', to: '2026-11-20' }))).toBe('from')
  })
})

it('TranslationFrame accepts the frames of the server: one key for each part, except for ready', () => {
  const [transcript, translate, error] = [
    { text: 'a', final: false },
    { text: 'b', final: true },
    { code: 400 },
  ]
  for (const frame of [
    { type: 'ready' },
    { transcript },
    { translate },
    { transcript, translate },
    { error },
  ]) {
    expect(TranslationFrame.safeParse(frame).success).toBe(true)
  }
  for (const frame of [{ type: 'pong' }, { type: 'transcript', ...transcript }, { transcript: 'a' }]) {
    expect(TranslationFrame.safeParse(frame).success).toBe(false)
  }
})

it('TranslationFrame leaves out what it cannot read, and keeps the other parts', () => {
  const translate = { text: 'b', final: true, utterance_id: 7 }
  expect(TranslationFrame.parse({ transcript: { text: {} }, translate, error: 'x' })).toEqual({
    translate: { text: 'b', final: true },
  })
})

describe('TranslationConfig', () => {
  const config = { source_language: 'en-US', target_language: 'es-419', voice: 'male' }

  it.each([
    {},
    { audio: { format: 'pcm_s16le', sample_rate: 16_000 } },
    { audio: { format: 'opus', sample_rate: 16_000, channels: 1 } },
    { source_language: 'zh-Hant-TW' },
    { metadata: { reference_id: 'r', tier: 'gold', nested: { any: 1 } } },
    { something: 'new' },
  ])('takes %j', (more) => expect(TranslationConfig.safeParse({ ...config, ...more }).success).toBe(true))

  it.each([
    ['source_language', undefined],
    ['source_language', 'english'],
    ['target_language', 'es'],
    ['voice', undefined],
    ['voice', 'robot'],
    ['audio', { format: 'mp3', sample_rate: 16_000 }],
    ['audio', { format: 'opus', sample_rate: 8_000 }],
    ['audio', { format: 'opus', sample_rate: 16_000, channels: 2 }],
  ])('refuses %s: %j', (key, value) => {
    expect(fieldOf(TranslationConfig.safeParse({ ...config, [key]: value }))).toBe(key)
  })
})
