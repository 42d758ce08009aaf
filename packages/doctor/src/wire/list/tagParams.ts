import { PARAMETER_NAMES } from './candidates.js'
import { chooseMarks } from './chooseMarks.js'
import type { Params } from './createMeetingsRequests.js'
import { type Item, tagsOf } from './readPage.js'

/** Another tag for each name of the tag filter. */
export function tagParams(items: readonly Item[]): Params {
  const names = PARAMETER_NAMES.tags
  return Object.fromEntries(chooseMarks(items, tagsOf, names.length).map((tag, at) => [names[at] ?? '', tag]))
}
