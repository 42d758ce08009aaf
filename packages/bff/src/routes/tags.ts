import { rebuildTags } from '../meetings/rebuild.js'
import { readMeetings } from './readMeetings.js'
import type { Route } from './Route.js'

/** `GET /tags`: the tags that the list can be filtered by, as the upstream gives them. */
export const tags: Route = {
  name: 'tags',
  method: 'GET',
  path: '/tags',
  query: [],
  respond: (request, services) =>
    readMeetings(request, services, () => ({
      operation: 'tags',
      path: services.settings.meetings.wire.tagsPath,
      canonical: [],
      rebuild: rebuildTags,
    })),
}
