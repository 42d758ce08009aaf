import { ASSUMED_MEETINGS_WIRE as ASSUMED, type MeetingsWire, resolveMeetingsWire } from '@stagepass/contract'
import type { MeetingsWireOptions } from './BffOptions.js'
import { knownKeys, refuse } from './refuse.js'

/**
 * The wire of the meetings interface: our defaults, and what the host overrides. (Assumptions: "Meetings
 * wire".)
 */
export function readWire(options: MeetingsWireOptions): MeetingsWire {
  knownKeys('"meetings.wire"', options, Object.keys(ASSUMED))
  for (const part of ['params', 'order', 'ownershipWords'] as const)
    knownKeys(`"meetings.wire.${part}"`, options[part] ?? {}, Object.keys(ASSUMED[part]))
  return resolveMeetingsWire(options, (part, problem, remedy) =>
    refuse(`"meetings.wire${part === '' ? '' : `.${part}`}" ${problem}`, remedy),
  )
}
