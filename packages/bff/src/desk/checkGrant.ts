import { AuthorizeError } from '../grant/AuthorizeError.js'
import { type CheckedGrant, readGrant } from '../grant/readGrant.js'
import type { Settings } from '../settings/readOptions.js'

/**
 * Checks a grant alone and beside the options. Throws an `AuthorizeError` with a remedy, which contains no
 * value of the grant.
 */
export function checkGrant(given: unknown, settings: Settings): CheckedGrant {
  const { redis, userSecret } = settings
  const grant = readGrant(given, settings)
  if (grant.usage && redis && userSecret === undefined)
    throw new AuthorizeError(
      'The grant has "usage". With "redis" this needs a secret that all instances share, because each must be able to read the receipts of the others. Set "userSecret" to a random text, such as the output of: openssl rand -base64 32.',
    )
  return grant
}
