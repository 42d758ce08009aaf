import { encodeText, type Product } from '@stagepass/contract'
import type { CheckedGrant } from '../grant/readGrant.js'
import type { Settings } from '../settings/readOptions.js'

/** The address of a product's socket, with the parameters of the options and of the grant. It has no token. */
export function streamUrlOf(
  product: Product,
  { streamUrls, streamQuery }: Pick<Settings, 'streamUrls' | 'streamQuery'>,
  grant: Pick<CheckedGrant, 'streamQuery'>,
): string {
  const parameters = { ...streamQuery?.[product], ...grant.streamQuery?.[product] }
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeText(String(value))}`)
  return [streamUrls[product], ...(query.length > 0 ? [query.join('&')] : [])].join('?')
}
