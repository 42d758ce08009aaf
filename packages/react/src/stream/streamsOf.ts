import type { Client } from '../client/Client.js'
import { tokensOf } from '../token/tokensOf.js'
import { createHandshakeCheck } from './wire/createHandshakeCheck.js'
import { createHostBoard } from './wire/HostedSockets.js'
import type { StreamRegistry } from './createStreamRegistry.js'
import { createStreamRegistry } from './createStreamRegistry.js'

function createStreams(client: Client): StreamRegistry {
  const { platform, request, emit } = client
  const hosts = client.part(createHostBoard)
  const streams = createStreamRegistry({
    tokens: tokensOf(client).source,
    platform,
    checkHandshake: createHandshakeCheck(request),
    emit,
    openSocket: client.openSocket ?? hosts.openSocket,
    hosts,
  })
  // What is open runs on a token of the user who left.
  client.subscribe(({ type }) => {
    if (type === 'client.cleared') streams.replace()
  })
  return streams
}

/** The streams of a client, made on the first call: an application without streams does not contain this code. */
export function streamsOf(client: Client): StreamRegistry {
  return client.part(createStreams)
}
