import { describe, expect, it } from 'vitest'
import {
  errorOf,
  getMeetings,
  issueToken,
  listIds,
  postToken,
  refuseToken,
} from '../../node/client.test.kit.js'
import { createEmulator } from '../../node/createEmulator.js'

const NOON = Date.parse('2026-03-02T12:00:00.000Z')
const start = () => createEmulator({ now: () => NOON })

it('key_id: integer, identifier of the API key the token was created from', async () => {
  await using upstream = await createEmulator({ keys: [{ key: 'mine', keyId: 77 }] })
  const headers = { authorization: 'api-key mine', 'content-type': 'application/json' }
  expect(await issueToken(upstream, { usage_type: 'stt' }, { headers })).toMatchObject({ key_id: 77 })
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
