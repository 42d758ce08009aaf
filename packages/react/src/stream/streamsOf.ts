import type { Client } from '../client/Client.js'
import { tokensOf } from '../token/tokensOf.js'
import { createStreamRegistry, type StreamRegistry } from './createStreamRegistry.js'
import { createHandshakeCheck } from './wire/createHandshakeCheck.js'
import { createHostedSockets } from './wire/HostedSockets.js'

function createStreams(client: Client): StreamRegistry {
  const { platform, request, emit, signal } = client
  const hosted = client.part(createHostedSockets)
  return createStreamRegistry({
    tokens: tokensOf(client).source,
    platform,
    checkHandshake: createHandshakeCheck(request),
    emit,
    openSocket: client.openSocket ?? hosted.openSocket,
    hosted,
    signal,
  })
}

/** The streams of a client, made on the first call: an application without streams does not contain this code. */
export function streamsOf(client: Client): StreamRegistry {
  return client.part(createStreams)
}
