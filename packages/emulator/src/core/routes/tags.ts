import { formatAnswer } from '../meetings/formatAnswer.js'
import { isVisible } from '../meetings/selectMeetings.js'
import { meetingsPaths, type MeetingsRouteOptions, type Route } from './Route.js'

export interface TagsRouteOptions extends MeetingsRouteOptions {
  /** `{ "tags": [...] }` or the bare array. (Assumptions: "Tags".) */
  readonly tagsShape: 'object' | 'array'
}

/** `GET /tags` (Contract: "Tags"). Each tag is `{ id, name }`, which is the emulator's invention. */
export function tagsRoute({ store, access, wire, tagsShape }: TagsRouteOptions): Route {
  return {
    endpoint: 'tags',
    method: 'GET',
    paths: meetingsPaths(wire.tagsPath),

    respond(request) {
      const holder = access.enter(request)
      const rows = store.meetings.all().filter((row) => isVisible(row, holder))
      const ids = [...new Set(rows.flatMap((row) => row.tags))].toSorted()
      const tags = ids.map((id) => ({ id, name: nameOf(id) }))
      return { status: 200, body: tagsShape === 'array' ? tags : formatAnswer([[wire.tags, tags]]) }
    },
  }
}

/** The name of `tag-customer-call` is "Customer call". */
function nameOf(id: string): string {
  const words = id.replace(/^tag[-_]/, '').replaceAll(/[-_]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
