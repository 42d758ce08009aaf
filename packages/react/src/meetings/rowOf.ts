import { listParam } from '@stagepass/contract'
import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import type { Client } from '../identity/Client.js'
import { type QueryKey, queryKey } from '../query/queryKey.js'
import type { FieldList, MeetingWith } from './MeetingWith.js'
import type { MeetingsKeyPart, MeetingsPage } from './meetingsOptions.js'

type Row = Readonly<Record<string, unknown>>

/**
 * The meeting as a loaded list of the same user has it, with exactly the requested fields. `undefined` if no
 * list has it with all of them.
 */
export function rowOf(
  queryClient: QueryClient,
  client: Client,
  id: string,
  fields: FieldList,
): MeetingWith<FieldList> | undefined {
  const names = listParam(fields)?.split(',')
  const queries = queryClient.getQueriesData<InfiniteData<MeetingsPage<Row>>>({
    queryKey: queryKey(client, {}),
  })
  for (const [key, list] of queries) {
    const { meetings } = (key as QueryKey<Partial<MeetingsKeyPart>>)[1]
    const row =
      meetings && list?.pages.flatMap((page) => page.meetings).find((meeting) => meeting['id'] === id)
    // The default fields are those of a list without `fields`.
    if (!row || !(names ? names.every((name) => name in row) : !meetings.fields)) continue
    const shown = names ? Object.fromEntries(['id', ...names].map((name) => [name, row[name]])) : row
    // The cast: these are the requested fields, as the BFF has sent them.
    return shown as MeetingWith<FieldList>
  }
  return undefined
}
