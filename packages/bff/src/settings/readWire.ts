import { ASSUMED_MEETINGS_WIRE, type MeetingsWire } from '@stagepass/contract'
import type { MeetingsWireOptions } from './BffOptions.js'
import { knownKeys, refuse } from './refuse.js'

const WIRE_PATH = /^\/[^?#\s]*$/
const WIRE_NAME = /^[\w.[\]-]{1,64}$/

/** The wire of the meetings interface: our defaults, and what the host overrides. (Assumptions: "Meetings wire".) */
export function readWire(options: MeetingsWireOptions): MeetingsWire {
  knownKeys('"meetings.wire"', options, ASSUMED_MEETINGS_WIRE)
  knownKeys('"meetings.wire.params"', options.params ?? {}, ASSUMED_MEETINGS_WIRE.params)
  knownKeys('"meetings.wire.order"', options.order ?? {}, ASSUMED_MEETINGS_WIRE.order)
  knownKeys(
    '"meetings.wire.ownershipWords"',
    options.ownershipWords ?? {},
    ASSUMED_MEETINGS_WIRE.ownershipWords,
  )
  const assumed = ASSUMED_MEETINGS_WIRE
  const wire: MeetingsWire = {
    listPath: options.listPath ?? assumed.listPath,
    meetingPath: options.meetingPath ?? assumed.meetingPath,
    tagsPath: options.tagsPath ?? assumed.tagsPath,
    params: { ...assumed.params, ...givenOnly(options.params) },
    order: { ...assumed.order, ...givenOnly(options.order) },
    ownershipWords: {
      mine: [...(options.ownershipWords?.mine ?? assumed.ownershipWords.mine)],
      shared: [...(options.ownershipWords?.shared ?? assumed.ownershipWords.shared)],
    },
    items: options.items ?? assumed.items,
    extraFields: [...(options.extraFields ?? assumed.extraFields)],
  }
  for (const name of ['listPath', 'meetingPath', 'tagsPath'] as const)
    if (typeof wire[name] !== 'string' || !WIRE_PATH.test(wire[name]))
      refuse(`"meetings.wire.${name}" is not a path`, 'Use one that begins with / and has no query')
  if (wire.meetingPath.split('{id}').length !== 2)
    refuse('"meetings.wire.meetingPath" does not hold {id} once', 'Use a path such as /meetings/{id}')
  const names = [
    ...Object.values(wire.params),
    ...Object.values(wire.order),
    ...Object.values(wire.ownershipWords).flat(),
    wire.items,
    ...wire.extraFields,
  ]
  if (!names.every((name) => typeof name === 'string' && WIRE_NAME.test(name)))
    refuse('a name in "meetings.wire" is not one', 'Use 1 to 64 letters, digits and . _ - [ ]')
  if (new Set(Object.values(wire.params)).size !== Object.keys(wire.params).length)
    refuse('two roles in "meetings.wire.params" have the same name', 'Give each its own')
  return wire
}

/** Without the entries that are `undefined`: for those the default holds. */
function givenOnly(part: object | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(part ?? {}).filter(([, value]) => value !== undefined))
}
