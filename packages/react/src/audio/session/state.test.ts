import type { MicrophoneState } from '@stagepass/audio'
import { describe, expect, it } from 'vitest'
import { clientOf } from '../../client/createVoiceClient.js'
import type { StreamStatus } from '../../stream/machine/state.js'
import { createVirtualVoice } from '../../virtual/createVirtualVoice.test.kit.js'
import { isWanted, OFF, type SessionState, statusOf, type VoiceSessionStatus } from './state.js'

/** A session whose stream is open and whose microphone captures, but for what is given. */
interface Seen extends Partial<Pick<SessionState, 'wish' | 'isWaiting'>> {
  readonly stream?: StreamStatus
  readonly microphone?: MicrophoneState['status']
}

describe('what a session shows', () => {
  it.each<readonly [VoiceSessionStatus, Seen]>([
    ['active', {}],
    ['paused', { wish: 'paused' }],
    ['starting', { stream: 'connecting' }],
    ['starting', { stream: 'closed' }],
    ['starting', { stream: 'connecting', wish: 'paused' }],
    ['starting', { microphone: 'idle' }],
    ['starting', { microphone: 'starting' }],
    ['starting', { microphone: 'starting', stream: 'closed', isWaiting: true }],
    ['queued', { stream: 'queued' }],
    ['queued', { stream: 'queued', microphone: 'starting' }],
    ['queued', { stream: 'queued', isWaiting: true }],
    ['waiting', { stream: 'closed', isWaiting: true }],
    ['waiting', { stream: 'connecting', isWaiting: true }],
    ['paused', { stream: 'closed', isWaiting: true, wish: 'paused' }],
    ['recovering', { stream: 'reconnecting' }],
    ['recovering', { stream: 'reconnecting', isWaiting: true }],
    ['recovering', { microphone: 'recovering' }],
    ['recovering', { microphone: 'recovering', stream: 'queued' }],
    ['recovering', { microphone: 'recovering', wish: 'paused' }],
    ['failed', { stream: 'failed' }],
    ['failed', { stream: 'failed', microphone: 'recovering' }],
    ['failed', { microphone: 'failed' }],
    ['failed', { microphone: 'failed', stream: 'reconnecting' }],
    ['stopping', { wish: 'stopping' }],
    ['stopping', { wish: 'stopping', stream: 'failed' }],
    ['stopping', { wish: 'stopping', microphone: 'idle', stream: 'reconnecting' }],
  ])('is %s with %j', (status, seen) => {
    const { wish = 'on', isWaiting = false, stream = 'open', microphone = 'capturing' } = seen
    expect(statusOf({ ...OFF, wish, isWaiting }, stream, microphone)).toBe(status)
  })
})

it('a session is wanted by the user who has started it, until that user leaves', () => {
  const [ada, other] = [createVirtualVoice(), createVirtualVoice()].map((voice) => {
    voice.client.setUser('ada')
    return { voice, client: clientOf(voice.client) }
  })
  if (!ada || !other) throw new Error('Failed to make two clients.')
  expect(isWanted(OFF, ada.client)).toBe(false)
  expect(isWanted({ ...OFF, client: ada.client }, ada.client)).toBe(false)
  const on = { ...OFF, wish: 'on', client: ada.client } as const
  expect([isWanted(on, ada.client), isWanted(on, other.client)]).toEqual([true, false])
  ada.voice.client.setUser('ben')
  expect(isWanted(on, ada.client)).toBe(false)
})
