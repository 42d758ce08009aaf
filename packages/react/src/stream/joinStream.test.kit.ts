import { clientOf } from '../client/createVoiceClient.js'
import {
  createVirtualVoice,
  type VirtualVoice,
  type VirtualVoiceOptions,
} from '../virtual/createVirtualVoice.test.kit.js'
import type { StreamEvent } from '../events/events.js'
import type { StreamSettings } from './machine/settings.js'
import { streamsOf } from './streamsOf.js'

// So that a stream, which loads them on demand, needs no turn of the event loop.
await import('./lease/holdLease.js')
await import('./wire/createHandshakeCheck.js')

type UsedStream = ReturnType<ReturnType<typeof streamsOf>['of']>

export interface JoinedStream extends UsedStream {
  /** Removes its only user. */
  leave(): void
}

/** Snapshot of a stream that is open, without a failure. */
export const OPEN = { status: 'open', error: null, failureReason: null, retryAt: null, queue: null } as const

/** The stream `stt`, with one user who opens it. */
export function joinStream(voice: VirtualVoice, settings: StreamSettings = {}): JoinedStream {
  const stream = streamsOf(clientOf(voice.client)).of('stt', 'default')
  const leave = stream.join({ enabled: true, settings: () => settings })
  return { ...stream, leave }
}

/** A page in virtual time with one stream. */
export function openStream(
  settings: StreamSettings = {},
  options: VirtualVoiceOptions = {},
): { readonly voice: VirtualVoice; readonly stream: JoinedStream } {
  const voice = createVirtualVoice(options)
  return { voice, stream: joinStream(voice, settings) }
}

/** All data that arrived at the service, in the order of the connections. */
export function arrivals(voice: VirtualVoice): unknown[] {
  return voice.service.connections.flatMap(({ received }) => [...received])
}

/** The events of one type. */
export function eventsOf<TType extends StreamEvent['type']>(
  voice: VirtualVoice,
  type: TType,
): Extract<StreamEvent, { type: TType }>[] {
  return voice.events.filter((event) => event.type === type) as Extract<StreamEvent, { type: TType }>[]
}
