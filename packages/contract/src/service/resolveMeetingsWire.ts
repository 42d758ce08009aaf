import { ASSUMED_MEETINGS_WIRE as ASSUMED, type MeetingsWire } from './assumptions.js'
import { isObject } from './isObject.js'

/**
 * Throws an error of the caller. `part` is a path below the wire, such as `params.limit`, and empty for the
 * wire itself.
 */
export type RefuseWire = (
  part: string,
  problem: string,
  remedy: string,
  /** The key that is not known, if it can be shown. */
  unknown?: { readonly name: string; readonly known: readonly string[] },
) => never

/** Without a query, and without a segment that a URL parser would take out. */
const PATH = /^(?!.*\/\.\.?(?:\/|$))\/[^?#\\\s]*$/
const NAME = /^[\w.[\]-]{1,64}$/
const KEYS = /^(?=.{1,128}$)[^.\s]+(?:\.[^.\s]+)*$/

/**
 * The whole wire: the parts that are given, and the default of each other one. Calls `refuse` for the first
 * part that cannot be right. (Assumptions: "Meetings wire".)
 */
export function resolveMeetingsWire(given: unknown, refuse: RefuseWire): MeetingsWire {
  const wire = withDefaults('', ASSUMED, given)
  const params = withDefaults('params', ASSUMED.params, wire.params)
  const order = withDefaults('order', ASSUMED.order, wire.order)
  const ownershipWords = withDefaults('ownershipWords', ASSUMED.ownershipWords, wire.ownershipWords)

  for (const part of ['listPath', 'meetingPath', 'tagsPath'] as const)
    if (typeof wire[part] !== 'string' || !PATH.test(wire[part]))
      refuse(part, 'is not a path', 'Use one that begins with / and has no query and no dot segment')
  if (wire.meetingPath.split('{id}').length !== 2)
    refuse('meetingPath', 'does not hold {id} once', 'Use a path such as /meetings/{id}')

  for (const part of ['items', 'cursor', 'total', 'meeting', 'tags'] as const)
    if (typeof wire[part] !== 'string' || (wire[part] !== '' && !KEYS.test(wire[part])))
      refuse(part, 'is not a path in an answer', 'Use keys with dots between them, such as data.items')
  if (wire.cursor === '') refuse('cursor', 'is empty', 'Use the path of the cursor, such as next_cursor')

  checkNames('params', params)
  checkNames('order', order)
  if (new Set(Object.values(params)).size < Object.keys(params).length)
    refuse('params', 'has the same name for two roles', 'Give each its own')

  return {
    ...wire,
    params,
    order,
    ownershipWords: {
      mine: copyNames('ownershipWords.mine', ownershipWords.mine),
      shared: copyNames('ownershipWords.shared', ownershipWords.shared),
    },
    extraFields: copyNames('extraFields', wire.extraFields),
  }

  function withDefaults<T extends object>(part: string, defaults: T, values: unknown = {}): T {
    if (!isObject(values))
      return refuse(part, 'is not an object', `Use one with some of ${Object.keys(defaults).join(', ')}`)
    // For what is `undefined`, the default holds.
    const entries = Object.entries(values).filter(([, value]) => value !== undefined)
    const unknown = entries.map(([key]) => key).find((key) => !Object.hasOwn(defaults, key))
    if (unknown !== undefined) {
      const name = /^\w{1,40}$/.test(unknown) ? unknown : undefined
      const known = Object.keys(defaults)
      const problem = `has an unknown key${name === undefined ? '' : ` "${name}"`}`
      refuse(part, problem, `Use only: ${known.join(', ')}`, name === undefined ? undefined : { name, known })
    }
    return { ...defaults, ...Object.fromEntries(entries) }
  }

  function checkNames(part: string, names: object): void {
    for (const [key, name] of Object.entries(names))
      if (typeof name !== 'string' || !NAME.test(name))
        refuse(`${part}.${key}`, 'is not a name', 'Use 1 to 64 letters, digits and . _ - [ ]')
  }

  /** The caller cannot change the copy. */
  function copyNames(part: string, names: unknown): readonly string[] {
    if (!Array.isArray(names)) return refuse(part, 'is not a list', 'Use a list of names')
    checkNames(part, names)
    return [...names]
  }
}
