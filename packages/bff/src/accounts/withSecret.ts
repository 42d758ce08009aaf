import { bffErrorRow } from '@stagepass/contract'
import { BffError } from '../base/BffError.js'
import type { RequestContext } from '../request/RequestContext.js'
import type { SecretReader } from './createSecretReader.js'

/**
 * Calls `attempt` with a secret. If the service refuses the secret, reads it again, and calls `attempt` once
 * more if it has changed.
 */
export async function withSecret<TResult>(
  secret: SecretReader,
  context: RequestContext,
  attempt: (value: string) => Promise<TResult>,
): Promise<TResult> {
  context.stage = 'secret'
  const value = await secret.read(context.signal)
  try {
    return await attempt(value)
  } catch (error) {
    const refused = error instanceof BffError ? bffErrorRow(error.code).refusedSecret : undefined
    if (!(error instanceof BffError) || refused === undefined) throw error
    context.emit?.({ type: 'secret.rejected', secret: refused, errorCode: error.code })
    context.stage = 'secret'
    const renewed = await secret.renew(value, context.signal)
    if (renewed === undefined) throw error
    return attempt(renewed)
  }
}
