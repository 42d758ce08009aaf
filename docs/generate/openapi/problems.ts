import { BFF_ERRORS, type BffErrorCode, bffErrorRow, type BffRouteName, codesOf } from '@stagepass/contract'

/** The codes that a route can send, by their status, lowest first. */
export function problemsOf(route: BffRouteName): ReadonlyMap<number, readonly BffErrorCode[]> {
  const byStatus = new Map<number, BffErrorCode[]>()
  for (const code of codesOf(BFF_ERRORS)) {
    const { from, status: usual, renewalStatus } = bffErrorRow(code)
    const status = route === 'session-renewal' ? (renewalStatus ?? usual) : usual
    if (from === 'any' || from.includes(route)) byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return new Map([...byStatus].toSorted(([one], [other]) => one - other))
}
