import type { MeetingsQueryRole } from '@stagepass/contract'

/*
 * Names that interfaces of this kind use, the default of Stagepass first. A name that is not here cannot be found by asking, because most
 * interfaces ignore a parameter that they do not know. No name is in two lists. (Assumptions: "Meetings wire".)
 */

/** Paths of the list under the meetings base. (Assumptions: "Meetings address".) */
export const LIST_PATHS = ['/meetings', '/v1/meetings', '/meetings/list', '/calls', '/recordings'] as const

export const PARAMETER_NAMES: Readonly<Record<Exclude<MeetingsQueryRole, 'fields'>, readonly string[]>> = {
  limit: [
    'limit',
    'page_size',
    'per_page',
    'pageSize',
    'size',
    'perPage',
    'count',
    'max_results',
    'first',
    'take',
  ],
  cursor: [
    'cursor',
    'page_token',
    'after',
    'next_cursor',
    'pageToken',
    'starting_after',
    'next',
    'page_cursor',
    'page',
  ],
  ownership: [
    'ownership',
    'owner',
    'filter',
    'scope',
    'owned_by',
    'access',
    'ownership_filter',
    'visibility',
    'view',
  ],
  // At most seven each, and eight above: three requests tell so many apart, and two.
  sort_by: ['sort_by', 'sort', 'order_by', 'sortBy', 'sort_field', 'orderBy', 'sort_key'],
  order: ['order', 'direction', 'sort_order', 'sort_direction', 'sort_dir', 'dir', 'sortOrder'],
  q: ['q', 'query', 'search', 'text', 'keyword', 'search_query', 'term', 'keywords'],
  from: [
    'from',
    'since',
    'start',
    'start_date',
    'started_after',
    'from_date',
    'start_time',
    'date_from',
    'after_date',
  ],
  to: ['to', 'until', 'end', 'end_date', 'started_before', 'to_date', 'end_time', 'date_to', 'before_date'],
  tags: ['tags', 'tag', 'tag_ids', 'labels', 'tagIds', 'tag_id', 'label', 'label_ids'],
}

/** Words of the two directions. The contract shows only `newest`. (Contract: "Query parameters".) */
export const DIRECTIONS = [
  { newest: 'newest', oldest: 'oldest' },
  { newest: 'newest', oldest: 'asc' },
  { newest: 'desc', oldest: 'asc' },
] as const
