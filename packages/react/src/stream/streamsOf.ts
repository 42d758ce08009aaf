import type { VoiceClient } from '../VoiceClient.js'
import { createHandshakeCheck } from './createHandshakeCheck.js'
import type { StreamRegistry } from './StreamRegistry.js'
import { createStreamRegistry } from './StreamRegistry.js'

function createStreams(client: VoiceClient): StreamRegistry {
  const { tokens, platform, request, emit, openSocket } = client
  const checkHandshake = createHandshakeCheck(request)
  const streams = createStreamRegistry({ tokens, platform, checkHandshake, emit, openSocket })
  // What is open runs on a token of the user who left.
  client.subscribe(({ type }) => {
    if (type === 'client.cleared') streams.replace()
  })
  return streams
}

/** The streams of a client, made when they are first asked for: an application without streams does not carry this code. */
export function streamsOf(client: VoiceClient): StreamRegistry {
  return client.part(createStreams)
}
