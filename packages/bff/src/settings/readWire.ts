import { ASSUMED_MEETINGS_WIRE as ASSUMED, type MeetingsWire } from '@stagepass/contract'
import type { MeetingsWireOptions } from './BffOptions.js'
import { knownKeys, refuse } from './refuse.js'

/** Without a query, and without a segment that a URL parser would take out. */
const WIRE_PATH = /^(?!.*\/\.\.?(?:\/|$))\/[^?#\\\s]*$/
const WIRE_NAME = /^[\w.[\]-]{1,64}$/

/** The wire of the meetings interface: our defaults, and what the host overrides. (Assumptions: "Meetings wire".) */
export function readWire(options: MeetingsWireOptions): MeetingsWire {
  knownKeys('"meetings.wire"', options, Object.keys(ASSUMED))
  for (const part of ['params', 'order', 'ownershipWords'] as const)
    knownKeys(`"meetings.wire.${part}"`, options[part] ?? {}, Object.keys(ASSUMED[part]))
  const { mine, shared } = withDefaults(ASSUMED.ownershipWords, options.ownershipWords)
  const { extraFields, ...wire } = withDefaults(ASSUMED, {
    ...options,
    params: withDefaults(ASSUMED.params, options.params),
    order: withDefaults(ASSUMED.order, options.order),
    ownershipWords: { mine: [...mine], shared: [...shared] },
  })
  for (const name of ['listPath', 'meetingPath', 'tagsPath'] as const)
    if (typeof wire[name] !== 'string' || !WIRE_PATH.test(wire[name]))
      refuse(
        `"meetings.wire.${name}" is not a path`,
        'Use one that begins with / and has no query and no dot segment',
      )
  if (wire.meetingPath.split('{id}').length !== 2)
    refuse('"meetings.wire.meetingPath" does not hold {id} once', 'Use a path such as /meetings/{id}')
  const params = Object.values(wire.params)
  const words = Object.values(wire.ownershipWords).flat()
  const names = [...params, ...Object.values(wire.order), ...words, wire.items, ...extraFields]
  if (!names.every((name) => typeof name === 'string' && WIRE_NAME.test(name)))
    refuse('a name in "meetings.wire" is not one', 'Use 1 to 64 letters, digits and . _ - [ ]')
  if (new Set(params).size !== params.length)
    refuse('two roles in "meetings.wire.params" have the same name', 'Give each its own')
  return { ...wire, extraFields: [...extraFields] }
}

/** For what is `undefined`, the default holds. */
function withDefaults<T extends object>(
  defaults: T,
  given: { readonly [Key in keyof T]?: T[Key] | undefined } = {},
): T {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(entries) }
}
