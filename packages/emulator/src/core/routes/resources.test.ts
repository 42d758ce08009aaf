import { DEFAULT_MEETING_FIELDS } from '@stagepass/contract'
import { describe, expect, it } from 'vitest'
import {
  errorOf,
  getMeetings,
  issueToken,
  listIds,
  listMeetings,
  postToken,
  refuseToken,
} from '../../node/client.test.kit.js'
import { createEmulator } from '../../node/createEmulator.js'

const NOON = Date.parse('2026-03-02T12:00:00.000Z')
const start = () => createEmulator({ now: () => NOON })

describe('Contract: "Session token"', () => {
  it('session_key: the session token, used as the API key when opening a WebSocket', async () => {
    await using upstream = await start()
    const { session_key } = await issueToken(upstream, { usage_type: 'stt' })
    expect(upstream.tokens.get(session_key)).toMatchObject({ product: 'stt' })
  })

  it('expires_at: expiry time, ISO 8601, UTC', async () => {
    await using upstream = await start()
    const { expires_at } = await issueToken(upstream, { usage_type: 'stt', expiration_ttl: 10 })
    expect(expires_at).toBe('2026-03-02T12:10:00.000Z')
  })

  it('key_id: integer, identifier of the API key the token was created from', async () => {
    await using upstream = await createEmulator({ keys: [{ key: 'mine', keyId: 77 }] })
    const headers = { authorization: 'api-key mine', 'content-type': 'application/json' }
    expect(await issueToken(upstream, { usage_type: 'stt' }, { headers })).toMatchObject({ key_id: 77 })
  })

  it('status: status of the session token', async () => {
    await using upstream = await start()
    expect(await issueToken(upstream, { usage_type: 'stt' })).toMatchObject({ status: 'LICENSE_VALID' })
  })

  it('type: always "session"', async () => {
    await using upstream = await start()
    expect(await issueToken(upstream, { usage_type: 'vt' })).toMatchObject({ type: 'session' })
  })

  it.each(['stt', 'tts', 'viva', 'vt'])(
    'usage_type: the product the token is scoped to (%s)',
    async (usage_type) => {
      await using upstream = await start()
      expect(await issueToken(upstream, { usage_type })).toMatchObject({ usage_type })
    },
  )
})

describe('Contract: "Token response"', () => {
  it('code: 0 on success; message: Success; data: the session token object; req_id: request identifier', async () => {
    await using upstream = await start()
    const first = await postToken(upstream, { usage_type: 'stt' })
    const second = await postToken(upstream, { usage_type: 'stt' })
    expect(first.body).toEqual({
      code: 0,
      message: 'Success',
      data: {
        session_key: expect.stringMatching(/^st_\w{40}$/),
        expires_at: '2026-03-02T15:00:00.000Z',
        key_id: 1001,
        status: 'LICENSE_VALID',
        type: 'session',
        usage_type: 'stt',
      },
      req_id: 'req_00000001',
    })
    expect(second.body).toMatchObject({ req_id: 'req_00000002' })
  })
})

describe('Contract: "Token error body"', () => {
  it('code: non-zero on error (1); error_code: machine-readable; message: human-readable; req_id: request identifier', async () => {
    await using upstream = await start()
    expect(await refuseToken(upstream, { usage_type: 'nope' })).toEqual({
      status: 400,
      code: 1,
      error_code: 'VALIDATION_ERROR',
      message: expect.stringContaining('usage_type'),
      req_id: 'req_00000001',
    })
  })
})

describe('Contract: "Meeting"', () => {
  it('id is always returned', async () => {
    await using upstream = await start()
    const { meetings } = await listMeetings(upstream, { fields: 'title' })
    expect(meetings.length).toBeGreaterThan(0)
    for (const meeting of meetings) expect(Object.keys(meeting)).toEqual(['id', 'title'])
  })

  it('default returned fields: title, started_at, duration, status, source, tags, ownership', async () => {
    await using upstream = await start()
    const { meetings } = await listMeetings(upstream)
    for (const meeting of meetings) expect(Object.keys(meeting)).toEqual(['id', ...DEFAULT_MEETING_FIELDS])
  })

  it('participants is selectable but is not returned unless requested explicitly', async () => {
    await using upstream = await start()
    const [plain] = (await listMeetings(upstream)).meetings
    const [full] = (await listMeetings(upstream, { fields: 'participants' })).meetings
    expect(plain).not.toHaveProperty('participants')
    expect(full).toMatchObject({ id: plain?.id, participants: expect.arrayContaining([expect.anything()]) })
  })

  it('the list response carries the pagination cursor in next_cursor', async () => {
    await using upstream = await start()
    const { next_cursor } = await listMeetings(upstream, { limit: '1' })
    expect(next_cursor).toEqual(expect.any(String))
  })
})

describe('Contract: "States"', () => {
  it('Session token status: LICENSE_VALID for a freshly issued token; other values of the open set can be had', async () => {
    await using upstream = await createEmulator({ tokenStatus: 'active' })
    expect(await issueToken(upstream, { usage_type: 'stt' })).toMatchObject({ status: 'active' })
  })

  it('Meeting readiness: in the list only once its processing has finished; GET /meetings/{id} is 409 until then', async () => {
    await using upstream = await start()
    const row = upstream.meetings.all().find(({ processing }) => processing)
    if (!row) throw new Error('the data set has no processing meeting')

    expect(await listIds(upstream)).not.toContain(row.id)
    const before = await getMeetings(upstream, `/meetings/${row.id}`)
    expect(before.status).toBe(409)
    expect(errorOf(before)).toBe('The meeting is still being processed.')

    upstream.meetings.update(row.id, { processing: false, status: 'completed' })
    expect(await listIds(upstream)).toContain(row.id)
    expect(await getMeetings(upstream, `/meetings/${row.id}`)).toMatchObject({
      status: 200,
      body: { id: row.id },
    })
  })
})
