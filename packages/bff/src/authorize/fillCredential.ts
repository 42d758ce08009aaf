import type { Secret } from '../settings/Secret.js'
import { secretProblem } from '../settings/Secret.js'
import { refuse } from '../settings/refuse.js'

/** Checks the option `meetingsCredential`. */
export function readCredential(credential: Secret | undefined): Secret | undefined {
  const problem =
    credential === undefined || typeof credential === 'function' ? undefined : secretProblem(credential)
  if (problem)
    refuse(
      `"meetingsCredential" cannot be used: ${problem}`,
      'Pass the bearer credential, or a function that gives it',
    )
  return credential
}

/** Puts the credential of the server into a grant with `meetings`, if the grant has none of its own. */
export function fillCredential(grant: unknown, credential: Secret | undefined): unknown {
  const meetings = isObject(grant) ? grant.meetings : undefined
  if (credential === undefined || !isObject(meetings) || 'credential' in meetings) return grant
  return { ...(grant as object), meetings: { ...meetings, credential } }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
