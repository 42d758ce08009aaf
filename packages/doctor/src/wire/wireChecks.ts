import type { Check } from '../checks/Check.js'
import { bounds, search, tagFilter } from './filters.js'
import { meetingsList } from './meetingsList.js'
import { errorForm, oneMeeting, tagList } from './oneMeeting.js'
import { paging } from './paging.js'
import { sorting } from './sorting.js'
import type { WireContext } from './WireContext.js'

/** The meetings interface. What matters most is asked first, because the list requests are few. */
export const WIRE_CHECKS: readonly Check<WireContext>[] = [
  meetingsList,
  paging,
  sorting,
  bounds,
  tagFilter,
  search,
  tagList,
  oneMeeting,
  errorForm,
]
