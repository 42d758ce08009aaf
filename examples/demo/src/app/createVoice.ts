import type { VoiceClient } from '@stagepass/react'
import { createVoiceClient } from '@stagepass/react'
import type { WireLog } from '../wire/createWireLog.js'
import { describeEvent } from '../wire/describeEvent.js'
import { tapFetch } from '../wire/tapFetch.js'

/** The voice client of the page. `VoiceProvider` tells it who is signed in. */
export function createVoice(log: WireLog): VoiceClient {
  return createVoiceClient({
    url: '/api/voice',
    fetch: tapFetch(log),
    onEvent: (event) => log.add(describeEvent(event)),
  })
}
