import { isAuthorizeError } from '../grant/AuthorizeError.js'
import type { Desk, DeskMethods } from '../desk/createDesk.js'
import { createRun } from '../desk/createRun.js'
import { type UserCalls, userCalls } from '../desk/userCalls.js'
import type { Grant } from '../grant/Grant.js'
import { readGrant } from '../grant/readGrant.js'
import { createUserFetch } from './createUserFetch.js'

/** What `bff.as(grant)` returns: a user, for server code. */
export interface BffUser extends UserCalls {
  /**
   * A transport for the query functions of `@stagepass/react`: `createVoiceClient({ url: '/api/voice', fetch:
   * bff.as(grant).fetch })`. Answers the GET routes in this process, as it answers a page. Takes an address,
   * and no `Request`.
   */
  readonly fetch: typeof globalThis.fetch
}

/** The methods of every BFF, for all hosts. */
export interface BffMethods extends DeskMethods {
  /**
   * The meetings, tags, tokens and minutes of a user, for server code: a loader, a server component, a job, a
   * tool. There is no gate and no `authorize`, because the caller is the host: check who asks before you call
   * it. All else is shared with the pages: limits, budgets, stored lists, events. If the grant is wrong,
   * throws a `TypeError` with a remedy.
   *
   * @example const { meetings } = await bff.as({ user: 'ada', meetings: { credential } }).meetings()
   */
  as(grant: Grant): BffUser
}

/** Creates `as`, the only entry without HTTP. Nothing that a client sends reaches it. */
export function createAs(desk: Desk, keepAwake?: (work: Promise<void>) => void): BffMethods['as'] {
  const { services } = desk
  const run = createRun(desk, keepAwake)
  return (given) => {
    const grant = checked(given, services.settings)
    return { ...userCalls(grant, run, services), fetch: createUserFetch(grant, run, services) }
  }
}

function checked(...args: Parameters<typeof readGrant>): ReturnType<typeof readGrant> {
  const [given] = args
  if (given === null || given === undefined)
    throw new TypeError(
      `Failed to act as a user: the grant is ${String(given)}. Call \`as\` only for a user who has a grant.`,
    )
  try {
    return readGrant(...args)
  } catch (error) {
    throw isAuthorizeError(error) ? new TypeError(`Failed to act as a user: ${error.message}`) : error
  }
}
