import type { Request } from 'express'
import type { EmitEvent } from '../context/events.js'
import type { Call } from '../context/RequestContext.js'
import type { Limits } from '../gate/limits.js'
import type { CheckedGrant } from '../gate/readGrant.js'
import type { MeetingsReader } from '../meetings/createMeetingsReader.js'
import type { Answer } from '../request/OutgoingResponse.js'
import type { Settings } from '../settings/BffOptions.js'
import type { Upstream } from '../upstream/Upstream.js'

/** A request that has passed the gate. */
export interface RouteRequest {
  readonly req: Request
  readonly call: Call
  readonly grant: CheckedGrant
  /** What stands for `:id` in the path, still encoded. */
  readonly encodedId: string
}

export interface Services {
  readonly settings: Settings
  readonly upstream: Upstream
  readonly meetings: MeetingsReader
  readonly limits: Limits
  readonly emit: EmitEvent
}

/** An address of the wire. The table of routes is the only way to be one, and the gate stands in front of the table. */
export interface Route {
  /** As events name it. */
  readonly name: string
  readonly method: 'GET' | 'POST'
  /** Relative to the mount; `:id` may stand for the last part. */
  readonly path: `/${string}`
  answer(request: RouteRequest, services: Services): Promise<Answer>
}
