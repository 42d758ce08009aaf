import type { Client, Identity } from './Client.js'

/** What every key of a voice client's queries names; and `TPart`, which says which query it is. */
export type QueryKey<TPart extends object> = readonly [
  'stagepass',
  { readonly url: string; readonly identity: Identity } & TPart,
]

/** A `QueryKey`, as TanStack Query has it. Without a part: of all queries of the client, for a filter. */
export function queryKey(
  { url, identity }: Pick<Client, 'url' | 'identity'>,
  part: object,
): readonly unknown[] {
  return ['stagepass', { url, identity, ...part }] satisfies QueryKey<object>
}
