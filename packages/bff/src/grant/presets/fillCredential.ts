import { isObject } from '@stagepass/contract'
import type { Secret } from '../../base/Secret.js'

/** Adds the server's credential to a grant that has `meetings` but no credential of its own. */
export function fillCredential(grant: unknown, credential: Secret | undefined): unknown {
  const meetings = isObject(grant) && Object.hasOwn(grant, 'meetings') ? grant.meetings : undefined
  if (credential === undefined || !isObject(meetings) || Object.hasOwn(meetings, 'credential')) return grant
  return { ...(grant as object), meetings: { ...meetings, credential } }
}
