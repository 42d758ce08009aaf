import type { Client } from '../client/Client.js'
import { createHostSlot } from '../client/HostSlot.js'
import { tokensOf } from '../token/tokensOf.js'
import { createStreamRegistry, type StreamRegistry } from './createStreamRegistry.js'
import { createHandshakeCheck } from './wire/createHandshakeCheck.js'
import { createHostedSockets } from './wire/HostedSockets.js'
import { SocketHosts } from './wire/SocketHosts.js'

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

/** The streams of a client, made on the first call. The hooks reach them by `createLazyStreams`, which loads this file on demand. */
export function streamsOf(client: Client): StreamRegistry {
  return client.part(createStreams)
}

/** The streams of a client, with the component that holds their sockets. */
export function openStreams(client: Client): StreamRegistry {
  client.part(createHostSlot).show(SocketHosts)
  return streamsOf(client)
}
