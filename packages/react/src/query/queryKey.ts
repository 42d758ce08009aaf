import type { Client, Identity } from '../identity/Client.js'

/**
 * The key of a voice client's query: the fields that all of them share, and `TPart`, which identifies the
 * query.
 */
export type QueryKey<TPart extends object> = readonly [
  'stagepass',
  { readonly url: string; readonly identity: Identity } & TPart,
]

/**
 * A `QueryKey` in the type of TanStack Query. With an empty `part` it is a filter for all queries of the
 * client.
 */
export function queryKey(
  { url, identity }: Pick<Client, 'url' | 'identity'>,
  part: object,
): readonly unknown[] {
  return ['stagepass', { url, identity, ...part }] satisfies QueryKey<object>
}
