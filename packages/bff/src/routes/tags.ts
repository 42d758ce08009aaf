import { rebuildTags } from '../meetings/rebuild.js'
import { readQuery } from '../request/readQuery.js'
import { openMeetings } from './readMeetings.js'
import type { Route } from './Route.js'

/** `GET /tags`: the tags that the list can be filtered by, as the upstream gives them. */
export const tags: Route = {
  name: 'tags',
  method: 'GET',
  path: '/tags',
  async answer(request, services) {
    readQuery(request.req.url, [])
    const read = await openMeetings(request, services, () => ({
      path: services.settings.meetings.wire.tagsPath,
      canonical: [],
      rebuild: rebuildTags,
    }))
    return services.meetings.read({ operation: 'tags', ...read })
  },
}
