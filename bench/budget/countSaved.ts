import { startStack } from '@stagepass/testing'

export interface Saved {
  readonly requests: number
  readonly upstreamCalls: number
  readonly shared: number
  readonly cached: number
}

/** With more at the same moment the kernel refuses some before the server sees them. */
const CONNECTIONS = 200

/** Sends requests of `users` users of one credential for `pages` pages over HTTP, as fast as possible. */
export async function countSaved(users: number, pages: number): Promise<Saved> {
  await using stack = await startStack({ emulator: { latency: { ms: 15, jitterMs: 10 } } })
  const { meetingsCredential: credential } = stack.upstream
  let next = 0
  await stack.remount({
    // Long enough that no page becomes stale during the requests, even on a slow machine.
    meetings: { cacheMs: 60_000 },
    authorize: () => {
      next += 1
      return { user: `user ${next}`, meetings: { credential } }
    },
  })
  const statuses: number[] = []
  let asked = 0
  const askOneByOne = async (): Promise<void> => {
    for (let user = asked++; user < users; user = asked++) {
      const answer = await stack.fetch(`/meetings?limit=${1 + (user % pages)}`)
      await answer.arrayBuffer()
      statuses.push(answer.status)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, askOneByOne))
  const failed = statuses.filter((status) => status !== 200).length
  if (failed > 0) throw new Error(`${failed} of ${users} requests failed.`)
  const { shared, cached } = stack.bff.gauge().saved
  return { requests: users, upstreamCalls: stack.upstream.requests.length, shared, cached }
}
