import { expect, it, onTestFinished, vi } from 'vitest'
import { createMicrophone, type MicrophonePermission, watchMicrophonePermission } from '../index.js'

/** The browser's own answer, whatever it is in this engine. */
async function ownAnswer(): Promise<MicrophonePermission> {
  try {
    return (await navigator.permissions.query({ name: 'microphone' })).state
  } catch {
    return 'unknown'
  }
}

function watch() {
  const seen: MicrophonePermission[] = []
  const stop = watchMicrophonePermission((permission) => seen.push(permission))
  onTestFinished(stop)
  return { seen, stop }
}

/** A browser whose user has not answered yet. */
function answerWith(state: PermissionState) {
  const status = Object.assign(new EventTarget(), { state, name: 'microphone', onchange: null })
  const query = vi.spyOn(navigator.permissions, 'query').mockResolvedValue(status)
  onTestFinished(() => query.mockRestore())
  return {
    query,
    become(next: PermissionState, isTold = true) {
      status.state = next
      if (isTold) status.dispatchEvent(new Event('change'))
    },
  }
}

it("is the browser's answer, without a question to the user", async () => {
  const asked = vi.spyOn(navigator.mediaDevices, 'getUserMedia')
  const { seen } = watch()
  const answer = await ownAnswer()
  await vi.waitFor(() => expect(seen).toEqual([answer]))
  expect(asked).not.toHaveBeenCalled()
  asked.mockRestore()
})

it('follows each change, also more than one, until it is stopped', async () => {
  const browser = answerWith('prompt')
  const { seen, stop } = watch()
  await vi.waitFor(() => expect(seen).toEqual(['prompt']))
  browser.become('denied')
  await vi.waitFor(() => expect(seen).toEqual(['prompt', 'denied']))
  browser.become('granted')
  await vi.waitFor(() => expect(seen).toEqual(['prompt', 'denied', 'granted']))
  stop()
  const asked = browser.query.mock.calls.length
  browser.become('denied')
  window.dispatchEvent(new Event('visibilitychange'))
  expect(browser.query.mock.calls).toHaveLength(asked)
  expect(seen).toHaveLength(3)
})

it.each([
  ['after the answer of the user', 'granted' as const],
  ['after a refusal', 'denied' as const],
])('asks the browser again %s, which may send no event', async (_, next) => {
  const browser = answerWith('prompt')
  const { seen } = watch()
  await vi.waitFor(() => expect(seen).toEqual(['prompt']))
  browser.become(next, false)
  const answered = vi.spyOn(navigator.mediaDevices, 'getUserMedia')
  if (next === 'denied') answered.mockRejectedValue(new DOMException('no', 'NotAllowedError'))
  const microphone = createMicrophone()
  await microphone.start()
  microphone.stop()
  answered.mockRestore()
  await vi.waitFor(() => expect(seen).toEqual(['prompt', next]))
})

it('asks the browser again when the user comes back from its settings', async () => {
  const browser = answerWith('denied')
  const { seen } = watch()
  await vi.waitFor(() => expect(seen).toEqual(['denied']))
  browser.become('prompt', false)
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
  await vi.waitFor(() => expect(seen).toEqual(['denied', 'prompt']))
})

it.each(['rejects', 'throws'] as const)('is unknown in a browser whose query %s', async (how) => {
  const query = vi.spyOn(navigator.permissions, 'query').mockImplementation(() => {
    const error = new TypeError("'microphone' is not a valid name")
    if (how === 'throws') throw error
    return Promise.reject(error)
  })
  onTestFinished(() => query.mockRestore())
  const { seen } = watch()
  await vi.waitFor(() => expect(seen).toEqual(['unknown']))
})
