import { describe, expect, it } from 'vitest'
import { getMeetings, issueToken, listIds, listMeetings } from '../../node/client.test.kit.js'
import { createEmulator } from '../../node/createEmulator.js'

describe('Contract: "Limits", "Rate limit"', () => {
  it('Request rate: counted per account and shared across all its keys; excess returns 429', async () => {
    await using upstream = await createEmulator({
      now: () => 0,
      credentials: [{ credential: 'third', holder: 'other' }],
    })
    const { main, second, other } = upstream.credentials
    for (let round = 0; round < 8; round += 1) {
      for (const credential of [main, second, 'third']) await listMeetings(upstream, {}, credential)
    }
    expect(await getMeetings(upstream, '/meetings', main)).toMatchObject({ status: 200 })
    for (const credential of [main, second, 'third']) {
      expect(await getMeetings(upstream, '/meetings', credential)).toMatchObject({ status: 429 })
    }
    expect(await getMeetings(upstream, '/meetings', other)).toMatchObject({ status: 200 })
  })

  it('Request rate: list, single meeting and tags share it; 400, 404 and 409 count, 401 and 403 do not', async () => {
    await using upstream = await createEmulator({ now: () => 0 })
    const [id = ''] = await listIds(upstream)
    const processing = upstream.meetings.all().find((row) => row.processing)?.id ?? ''
    const paths = [
      '/tags',
      `/meetings/${id}`,
      `/meetings/${processing}`,
      '/meetings/none',
      '/meetings?fields=nope',
      '/meetings',
    ]
    for (const path of paths) {
      for (let time = 0; time < 4; time += 1) {
        expect((await getMeetings(upstream, path)).status).not.toBe(429)
        expect((await getMeetings(upstream, path, 'nobody')).status).toBe(401)
        expect((await getMeetings(upstream, path, upstream.credentials.withoutScope)).status).toBe(403)
      }
    }
    for (const path of paths) expect((await getMeetings(upstream, path)).status).toBe(429)
  })

  it('Usage: token creation has no rate limit of its own', async () => {
    await using upstream = await createEmulator({ now: () => 0 })
    for (let request = 0; request < 60; request += 1) await issueToken(upstream, { usage_type: 'stt' })
    expect(upstream.counts).toMatchObject({ token: 60 })
  })
})
