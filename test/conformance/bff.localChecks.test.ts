import { startStack } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { ask, callsOf } from './kit.js'

const refusal = (field?: string) => ({ status: 400, code: 'VALIDATION_ERROR', retryable: false, field })

describe('local checks of POST /session-token', () => {
  const refused: [string, unknown, string][] = [
    ['usage_type missing', {}, 'usage_type'],
    ['usage_type unknown', { usage_type: 'asr' }, 'usage_type'],
    ['usage_type in upper case', { usage_type: 'STT' }, 'usage_type'],
    ['usage_type null', { usage_type: null }, 'usage_type'],
    ['usage_type a list', { usage_type: ['stt'] }, 'usage_type'],
    ['usage_type __proto__', { usage_type: '__proto__' }, 'usage_type'],
    ['usage_type constructor', { usage_type: 'constructor' }, 'usage_type'],
    ['the name of a path instead of usage_type', { usage_type: 'voice-isolation' }, 'usage_type'],
    ['ttl 4', { usage_type: 'stt', expiration_ttl: 4 }, 'expiration_ttl'],
    ['ttl 0', { usage_type: 'stt', expiration_ttl: 0 }, 'expiration_ttl'],
    ['ttl -5', { usage_type: 'stt', expiration_ttl: -5 }, 'expiration_ttl'],
    ['ttl 301 of stt', { usage_type: 'stt', expiration_ttl: 301 }, 'expiration_ttl'],
    ['ttl 301 of tts', { usage_type: 'tts', expiration_ttl: 301 }, 'expiration_ttl'],
    ['ttl 1440 of viva', { usage_type: 'viva', expiration_ttl: 1440 }, 'expiration_ttl'],
    ['ttl 1441 of vt', { usage_type: 'vt', expiration_ttl: 1441 }, 'expiration_ttl'],
    ['ttl 5.5', { usage_type: 'stt', expiration_ttl: 5.5 }, 'expiration_ttl'],
    ['ttl a string', { usage_type: 'stt', expiration_ttl: '30' }, 'expiration_ttl'],
    ['ttl null', { usage_type: 'stt', expiration_ttl: null }, 'expiration_ttl'],
    ['ttl true', { usage_type: 'stt', expiration_ttl: true }, 'expiration_ttl'],
    ['ttl 1e400', '{"usage_type":"stt","expiration_ttl":1e400}', 'expiration_ttl'],
    ['session_id of 256', { usage_type: 'stt', session_id: 'x'.repeat(256) }, 'session_id'],
    ['session_id of 128 emoji', { usage_type: 'stt', session_id: '😀'.repeat(128) }, 'session_id'],
    ['session_id a number', { usage_type: 'stt', session_id: 7 }, 'session_id'],
    ['session_id null', { usage_type: 'stt', session_id: null }, 'session_id'],
    ['an unknown key', { usage_type: 'stt', team: 'other' }, 'team'],
    ['metadata of the upstream', { usage_type: 'stt', metadata: { session_id: 'x' } }, 'metadata'],
    ['a __proto__ key', '{"usage_type":"stt","__proto__":{"expiration_ttl":5}}', '__proto__'],
    ['a constructor key', '{"usage_type":"stt","constructor":{"prototype":{}}}', 'constructor'],
  ]
  for (const [name, body, field] of refused) {
    it(`refuses ${name} with the field`, async () => {
      await using stack = await startStack()
      const reply = await ask(`${stack.url}/session-token`, {
        raw: typeof body === 'string' ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      })
      expect(reply).toBeProblem(refusal(field))
      expect(callsOf(stack)).toBe(0)
    })
  }

  const accepted: [string, Record<string, unknown>, number][] = [
    ['ttl 5', { usage_type: 'stt', expiration_ttl: 5 }, 5],
    ['ttl 300', { usage_type: 'tts', expiration_ttl: 300 }, 300],
    ['ttl 300 of viva', { usage_type: 'viva', expiration_ttl: 300 }, 300],
    ['ttl 1440 of vt', { usage_type: 'vt', expiration_ttl: 1440 }, 1440],
    ['ttl 30.0', { usage_type: 'vt', expiration_ttl: 30.0 }, 30],
    ['session_id of 255', { usage_type: 'stt', session_id: 'x'.repeat(255) }, 180],
    ['session_id of 255 units in emoji', { usage_type: 'stt', session_id: '😀'.repeat(127) + 'x' }, 180],
  ]
  for (const [name, body, minutes] of accepted) {
    it(`accepts ${name}`, async () => {
      await using stack = await startStack()
      const reply = await ask(`${stack.url}/session-token`, { json: body })
      expect(reply.status).toBe(200)
      expect(reply.body.expires_in_ms).toBeGreaterThan((minutes - 1) * 60_000)
      expect(reply.body.expires_in_ms).toBeLessThanOrEqual(minutes * 60_000)
    })
  }

  it('refuses a query on the token route', async () => {
    await using stack = await startStack()
    const reply = await ask(`${stack.url}/session-token?usage_type=tts`, { json: { usage_type: 'stt' } })
    expect(reply).toBeProblem(refusal('usage_type'))
    expect(callsOf(stack)).toBe(0)
  })
})

describe('clamping to the grant', () => {
  const table: [string, number | undefined, Record<string, unknown>, number][] = [
    ['a ttl above the grant is cut', 60, { usage_type: 'stt', expiration_ttl: 300 }, 60],
    ['a ttl below the grant stays', 60, { usage_type: 'stt', expiration_ttl: 10 }, 10],
    ['no ttl asked for, below the default', 60, { usage_type: 'stt' }, 60],
    ['a grant above the product serves the default', 1440, { usage_type: 'stt' }, 180],
    ['vt may be long', 1440, { usage_type: 'vt', expiration_ttl: 1440 }, 1440],
    ['vt is cut too', 120, { usage_type: 'vt', expiration_ttl: 1440 }, 120],
  ]
  for (const [name, maxTtlMinutes, body, minutes] of table) {
    it(`${name}: ${minutes} minutes`, async () => {
      await using stack = await startStack()
      stack.grant = { user: 'ada', maxTtlMinutes }
      const reply = await ask(`${stack.url}/session-token`, { json: body })
      expect(reply.status).toBe(200)
      const [row] = stack.upstream.tokens.all()
      expect((row?.expiresAtMs ?? 0) - (row?.issuedAtMs ?? 0)).toBe(minutes * 60_000)
    })
  }

  it('refuses a ttl out of range although the grant would cut it', async () => {
    await using stack = await startStack()
    stack.grant = { user: 'ada', maxTtlMinutes: 60 }
    const reply = await ask(`${stack.url}/session-token`, {
      json: { usage_type: 'stt', expiration_ttl: 301 },
    })
    expect(reply).toBeProblem(refusal('expiration_ttl'))
  })

  it("sends the grant's session id, not the browser's", async () => {
    await using stack = await startStack()
    stack.grant = { user: 'ada', sessionId: 'support-1' }
    await ask(`${stack.url}/session-token`, { json: { usage_type: 'stt', session_id: 'chosen-by-browser' } })
    expect(stack.upstream.tokens.all()[0]?.sessionId).toBe('support-1')
  })

  it("sends the browser's session id where the grant has none", async () => {
    await using stack = await startStack()
    await ask(`${stack.url}/session-token`, { json: { usage_type: 'stt', session_id: 'chosen-by-browser' } })
    expect(stack.upstream.tokens.all()[0]?.sessionId).toBe('chosen-by-browser')
  })

  it('never sends the user upstream', async () => {
    await using stack = await startStack()
    stack.grant = { user: 'user-ada-4711', meetings: { credential: stack.upstream.meetingsCredential } }
    await ask(`${stack.url}/session-token`, { json: { usage_type: 'stt' } })
    await ask(`${stack.url}/meetings`)
    expect(JSON.stringify(stack.upstream.requests)).not.toContain('user-ada-4711')
  })
})

describe('local checks of the meetings routes', () => {
  const refused: [string, string, string | undefined][] = [
    ['limit 0', '/meetings?limit=0', 'limit'],
    ['limit 101', '/meetings?limit=101', 'limit'],
    ['limit -1', '/meetings?limit=-1', 'limit'],
    ['limit 1.5', '/meetings?limit=1.5', 'limit'],
    ['limit 1e1', '/meetings?limit=1e1', 'limit'],
    ['limit 0x10', '/meetings?limit=0x10', 'limit'],
    ['limit with a space', '/meetings?limit=%205', 'limit'],
    ['limit empty', '/meetings?limit=', 'limit'],
    ['limit twice', '/meetings?limit=5&limit=6', 'limit'],
    ['limit as a list', '/meetings?limit[]=5', undefined],
    ['ownership owned', '/meetings?ownership=owned', 'ownership'],
    ['ownership twice', '/meetings?ownership=mine&ownership=all', 'ownership'],
    ['sort_by title', '/meetings?sort_by=title', 'sort_by'],
    ['sort_by __proto__', '/meetings?sort_by=__proto__', 'sort_by'],
    ['order asc', '/meetings?order=asc', 'order'],
    ['order constructor', '/meetings?order=constructor', 'order'],
    ['from nonsense', '/meetings?from=yesterday', 'from'],
    ['from a month that is not', '/meetings?from=2026-13-01T00:00:00Z', 'from'],
    ['from a day that is not', '/meetings?from=2026-02-30T00:00:00Z', 'from'],
    ['to nonsense', '/meetings?to=1', 'to'],
    ['to without offset colon junk', '/meetings?to=2026-01-01T00:00:00Zx', 'to'],
    ['start after end', '/meetings?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'from'],
    [
      'start after end across offsets',
      '/meetings?from=2026-01-01T00:00:00-05:00&to=2026-01-01T00:00:00Z',
      'from',
    ],
    ['fields unknown', '/meetings?fields=title,nonsense', 'fields'],
    ['fields transcript without extraFields', '/meetings?fields=transcript', 'fields'],
    ['fields notes without extraFields', '/meetings?fields=notes', 'fields'],
    ['fields empty', '/meetings?fields=', 'fields'],
    ['fields with an empty name', '/meetings?fields=title,,duration', 'fields'],
    ['fields __proto__', '/meetings?fields=__proto__', 'fields'],
    ['fields constructor', '/meetings?fields=constructor', 'fields'],
    ['fields twice', '/meetings?fields=title&fields=duration', 'fields'],
    ['tags empty', '/meetings?tags=', 'tags'],
    ['tags with an empty name', '/meetings?tags=a,,b', 'tags'],
    [
      'a tag list too long',
      `/meetings?tags=${Array.from({ length: 500 }, (_, i) => `t${i}`).join(',')}`,
      'tags',
    ],
    ['a cursor too long', `/meetings?cursor=${'x'.repeat(5_000)}`, 'cursor'],
    ['a cursor empty', '/meetings?cursor=', 'cursor'],
    ['a search too long', `/meetings?q=${'x'.repeat(5_000)}`, 'q'],
    ['a search twice', '/meetings?q=a&q=b', 'q'],
    ['an unknown key', '/meetings?page=2', 'page'],
    ['__proto__ as a key', '/meetings?__proto__=x', '__proto__'],
    ['__proto__ in brackets', '/meetings?__proto__[limit]=5', undefined],
    ['constructor as a key', '/meetings?constructor=x', 'constructor'],
    ['an unknown field of one meeting', '/meetings/m1?fields=nonsense', 'fields'],
    ['an unknown key of one meeting', '/meetings/m1?expand=all', 'expand'],
    ['limit of one meeting', '/meetings/m1?limit=1', 'limit'],
    ['a key of tags', '/tags?limit=5', 'limit'],
  ]
  for (const [name, path, field] of refused) {
    it(`refuses ${name} with the field`, async () => {
      await using stack = await startStack()
      const reply = await ask(stack.url + path)
      expect(reply).toBeProblem(refusal(field))
      expect(reply.body.field).toEqual(expect.any(String))
      expect(callsOf(stack)).toBe(0)
      expect(({} as Record<string, unknown>).limit).toBeUndefined()
    })
  }

  const accepted = [
    '/meetings?limit=1',
    '/meetings?limit=100',
    '/meetings?ownership=all',
    '/meetings?ownership=mine',
    '/meetings?ownership=shared',
    '/meetings?sort_by=date&order=newest',
    '/meetings?sort_by=duration&order=oldest',
    '/meetings?sort_by=last_modified',
    '/meetings?from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z',
    '/meetings?from=2026-01-01T00:00:00.123Z',
    '/meetings?from=2026-01-01T00:00:00%2B02:00',
    '/meetings?from=2026-01-01&to=2026-12-31',
    '/meetings?fields=id',
    '/meetings?fields=id,title,started_at,duration,status,source,tags,ownership,participants',
    '/meetings?q=%E4%BC%9A%E8%AD%B0',
    '/meetings?tags=a,b,c',
  ]
  for (const path of accepted) {
    it(`accepts ${path}`, async () => {
      await using stack = await startStack()
      const reply = await ask(stack.url + path)
      expect(reply.status).toBe(200)
    })
  }

  it('does not spend the budget on what it refuses', async () => {
    await using stack = await startStack({ bff: { deadlineMs: 500, meetings: { cacheMs: 0 } } })
    for (let i = 0; i < 40; i++) await ask(`${stack.url}/meetings?limit=0`)
    const reply = await ask(`${stack.url}/meetings?limit=1`)
    expect(reply.status).toBe(200)
    expect(stack.upstream.counts.list).toBe(1)
  })
})
