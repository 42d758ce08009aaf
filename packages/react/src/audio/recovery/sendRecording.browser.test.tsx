import { createBff } from '@stagepass/bff/fetch'
import { createBrowserEmulator, mute } from '@stagepass/emulator/browser'
import { act, cleanup, render } from '@testing-library/react'
import { useEffect } from 'react'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { clientOf, createVoiceClient } from '../../client/createVoiceClient.js'
import { json } from '../../codecs/json.js'
import { keepRecording } from '../../recordings/keepRecording.js'
import type { ReceivedData } from '../../platform/socket.js'
import { useStream } from '../../stream/useStream.js'
import type { StreamSettings } from '../../stream/machine/settings.js'
import { createVirtualPlatform } from '../../virtual/createVirtualPlatform.test.kit.js'
import type { RecoveredRecording } from './RecoveredRecording.js'
import { useRecovery } from './useRecovery.js'
import { pageOf } from '../../client/pageOf.test.kit.js'

const RATE = 16_000
const SECONDS = 3
const BYTES = 2 * RATE * SECONDS
/** Each look for a change lets this time pass. */
const STEP_MS = 200

const finalOf = (data: ReceivedData): { start: number; duration: number } | undefined => {
  const text = typeof data === 'string' ? JSON.parse(data) : undefined
  return text?.final === true ? text : undefined
}
const CODEC = {
  ...json<never, unknown>(),
  isFinal: (data: ReceivedData) => finalOf(data) !== undefined,
  finalUntilMs(data: ReceivedData) {
    const text = finalOf(data)
    return text && (text.start + text.duration) * 1_000
  },
}

const WAYS: Record<string, Pick<StreamSettings, 'resend'> & { codec?: typeof CODEC }> = {
  'resend: { persist: true }': { codec: CODEC, resend: { persist: true } },
  'resend in memory': { codec: CODEC, resend: {} },
  'no resend': { codec: CODEC },
  'no codec': {},
}

const ends: (() => unknown)[] = []

// Virtual time would pass while it loads.
beforeAll(() => import('../../stream/resend/createResend.js'))
beforeEach(
  () =>
    new Promise<void>((resolve, reject) => {
      const deleting = indexedDB.deleteDatabase('stagepass')
      deleting.addEventListener('success', () => resolve())
      deleting.addEventListener('error', () => reject(deleting.error as Error))
    }),
)
afterEach(async () => {
  cleanup()
  for (const end of ends.splice(0)) await end()
})

/** A page of Ada, who can send a recording of three seconds again. */
async function openPage({ codec, ...settings }: (typeof WAYS)[string]) {
  const emulator = createBrowserEmulator()
  const bff = createBff({ ...emulator.bffOptions, authorize: () => ({ user: 'ada' }), logger: false })
  const platform = createVirtualPlatform({ wallStart: Date.now() })
  const client = createVoiceClient({ ...emulator.clientOptions({ fetch: bff.fetch }), platform })
  ends.push(
    () => client.setUser(null),
    () => bff.close(),
    () => emulator.close(),
  )
  client.setUser('ada')
  const copy = keepRecording({ client: clientOf(client), product: 'stt', key: 'default', sampleRate: RATE })
  for (let second = 0; second < SECONDS; second += 1) {
    const pcm = Int16Array.from({ length: RATE }, (_, at) => (at % 2 ? -8_000 : 8_000))
    copy.added(second * RATE, new Uint8Array(pcm.buffer), platform.now(), true)
  }
  copy.released(SECONDS * RATE, 'over', false)
  const page: {
    stream?: ReturnType<typeof useStream<never, unknown>>
    recordings: readonly RecoveredRecording[]
  } = { recordings: [] }
  function Page() {
    const stream = useStream<never, unknown>('stt', {
      codec: codec as typeof CODEC,
      enabled: false,
      ...settings,
    })
    const { recordings } = useRecovery('stt')
    useEffect(() => void Object.assign(page, { stream, recordings }))
    return null
  }
  render(<Page />, { wrapper: pageOf(client) })
  const until = (check: () => void): Promise<void> =>
    vi.waitFor(
      async () => {
        await act(() => platform.advance(STEP_MS))
        check()
      },
      { timeout: 200_000, interval: 1 },
    )
  const offered = (): number[] => page.recordings.map(({ durationMs }) => durationMs)
  await until(() => expect(offered()).toEqual([SECONDS * 1_000]))
  return {
    emulator,
    until,
    offered,
    status: () => page.stream?.status,
    /** Sends the recording. */
    send() {
      let end: 'resolved' | { code?: string } | undefined
      page.recordings[0]!.send().then(
        () => (end = 'resolved'),
        (error: { code?: string }) => (end = error),
      )
      return { end: () => end }
    },
  }
}

/** The service has got all sound on the newest connection. */
const hasAll = ({ emulator }: Awaited<ReturnType<typeof openPage>>): void =>
  expect(emulator.sockets.at(-1)?.received.bytes).toBeGreaterThan(BYTES)

describe.each(Object.entries(WAYS))('a recording that is sent again, with %s', (_, way) => {
  it('is gone if its last text came', async () => {
    const page = await openPage(way)
    const sending = page.send()
    await page.until(() => expect(sending.end()).toBe('resolved'))
    await page.until(() => expect(page.offered()).toEqual([]))
    expect(page.status()).toBe('closed')
  })

  it.each([
    ['after all of it', BYTES],
    ['after a half of it, more often than sound is sent', BYTES / 2],
  ])('stays if each connection is lost %s, and can be sent again', async (_case, bytes) => {
    const page = await openPage(way)
    const lifted = page.emulator.use(mute())
    const sending = page.send()
    await page.until(() => {
      if ((page.emulator.sockets.at(-1)?.received.bytes ?? 0) > bytes) page.emulator.sockets.at(-1)?.drop()
      expect(sending.end()).toMatchObject({ code: 'CONNECTION_LOST' })
    })
    await page.until(() => expect(page.offered()).toEqual([SECONDS * 1_000]))
    lifted()
    const again = page.send()
    await page.until(() => expect(again.end()).toBe('resolved'))
    await page.until(() => expect(page.offered()).toEqual([]))
  })

  it('stays if the service takes it and says nothing', async () => {
    const page = await openPage(way)
    page.emulator.use(mute())
    const sending = page.send()
    await page.until(() => hasAll(page))
    await page.until(() => expect(sending.end()).toBeDefined())
    await page.until(() => expect(page.offered()).toEqual([SECONDS * 1_000]))
  })
})
