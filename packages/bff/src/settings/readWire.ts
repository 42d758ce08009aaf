import { type MeetingsWire, resolveMeetingsWire } from '@stagepass/contract'
import type { MeetingsWireOptions } from './BffOptions.js'
import { refuse, remedyFor } from './refuse.js'

/**
 * The wire of the meetings interface: our defaults, and what the host overrides. (Assumptions: "Meetings
 * wire".)
 */
export function readWire(options: MeetingsWireOptions): MeetingsWire {
  return resolveMeetingsWire(options, (part, problem, remedy, unknown) =>
    refuse(
      `"meetings.wire${part && `.${part}`}" ${problem}`,
      unknown ? remedyFor(unknown.name, unknown.known) : remedy,
    ),
  )
}
