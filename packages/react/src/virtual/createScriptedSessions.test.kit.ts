type Holds = 'opening' | 'open' | 'parked'

interface Answer {
  readonly status: number
  readonly body: object
}

/** A request to a route of sessions, as it arrived. */
interface SessionRequest {
  readonly method: string
  readonly id: string
  readonly at: number
  readonly body: Readonly<Record<string, unknown>>
}

const LEASE_MS = 25_000
const HIDDEN_LEASE_MS = 75_000
const TICKET_MS = 75_000

/**
 * The sessions of an account as the BFF shares them, first come, first served. A lease and a place in the queue
 * have the same id.
 */
export function createScriptedSessions(now: () => number) {
  const leases = new Map<string, { until: number; holds: Holds }>()
  const queue: { id: string; until: number }[] = []
  const requests: SessionRequest[] = []
  const ended = new Set<string>()
  let ids = 0

  function expire(): void {
    for (const [id, { until }] of leases) if (until <= now()) leases.delete(id)
    queue.splice(0, Infinity, ...queue.filter(({ until }) => until > now()))
  }

  const room = () => (sessions.max - leases.size > 2 ? 'free' : 'full')

  function lease(id: string, holds: Holds = 'opening', isHidden = false): object {
    leases.set(id, { until: now() + (isHidden ? HIDDEN_LEASE_MS : LEASE_MS), holds })
    return { lease: id, renew_in_ms: 10_000, sessions: room() }
  }

  /** A lease, or a place in the queue. */
  function ask(ticket?: unknown): Answer {
    expire()
    if (sessions.isEnding) return problem(403, 'ENDED_BY_SERVER')
    const known = queue.findIndex(({ id }) => id === ticket)
    const id = known === -1 ? `session-${(ids += 1)}` : String(ticket)
    const place = known === -1 ? queue.length : known
    if (leases.size + place < sessions.max) {
      if (known !== -1) queue.splice(known, 1)
      return { status: 200, body: lease(id) }
    }
    queue[place] = { id, until: now() + TICKET_MS }
    const [places, retry_in_ms] = sessions.knowsPlaces
      ? [{ place: place + 1, of: queue.length }, 1_000]
      : [{}, 1_000]
    return {
      status: 202,
      body: { ticket: id, place: null, of: null, ...places, retry_in_ms, sessions: 'full' },
    }
  }

  function renew(id: string, { holds = 'open', hidden }: Readonly<Record<string, unknown>>): Answer {
    expire()
    if (ended.has(id)) return problem(410, 'ENDED_BY_SERVER')
    if (!leases.has(id)) return problem(404, 'NOT_FOUND')
    const { renew_in_ms, sessions } = lease(id, holds as Holds, hidden === true) as Record<string, unknown>
    return { status: 200, body: { renew_in_ms, sessions } }
  }

  const sessions = {
    /** Sessions of the account. Infinity: the BFF does not share them. */
    max: Infinity,
    /** False while the store does not answer. */
    knowsPlaces: true,
    /** No request gets an answer. */
    isSilent: false,
    /** No user gets a lease: `bff.end` was called. */
    isEnding: false,
    /** `authorize` knows no user. */
    isSignedOut: false,
    requests: requests as readonly SessionRequest[],
    get leases(): readonly string[] {
      expire()
      return [...leases.keys()]
    },
    get queue(): readonly string[] {
      expire()
      return queue.map(({ id }) => id)
    },
    holdsOf: (id: string): Holds | undefined => leases.get(id)?.holds,
    /** Requests of other pages wait. */
    join: (...ids: string[]): void => void queue.push(...ids.map((id) => ({ id, until: now() + TICKET_MS }))),
    /** Takes sessions, or gives them back with a negative number. */
    take(count: number): void {
      for (let index = 0; index < count; index += 1)
        leases.set(`other-${index}`, { until: Infinity, holds: 'open' })
      for (let index = 0; index < -count; index += 1)
        leases.delete([...leases.keys()].find((id) => id.startsWith('other-')) ?? '')
    },
    /** The store has lost everything. */
    flush(): void {
      leases.clear()
      queue.length = 0
    },
    end: (id: string): void => void ended.add(id),
    /** A parked lease is taken back. */
    takeBack: (id: string): void => void leases.delete(id),
    /** The place in the queue of a lease that was refused. */
    refused(id: unknown): object {
      leases.delete(String(id))
      queue.unshift({ id: String(id), until: now() + TICKET_MS })
      return { ticket: id, place: 1, of: queue.length, retry_in_ms: 1_000, sessions: 'full' }
    },
    /** What a response to a request for a token has too. Undefined: the BFF does not share sessions. */
    withToken(asksLease: boolean): Answer | undefined {
      if (sessions.max === Infinity) return undefined
      return asksLease ? ask() : { status: 200, body: { sessions: room() } }
    },
    answer(method: string, id: string, body: Readonly<Record<string, unknown>>): Answer {
      if (sessions.max === Infinity) return problem(404, 'NOT_FOUND')
      requests.push({ method, id, body, at: now() })
      if (sessions.isSignedOut) return problem(401, 'UNAUTHENTICATED')
      if (id === '') return ask(body.ticket)
      if (method === 'POST') return renew(id, body)
      leases.delete(id)
      const index = queue.findIndex((place) => place.id === id)
      if (index !== -1) queue.splice(index, 1)
      return { status: 204, body: {} }
    },
  }
  return sessions
}

const problem = (status: number, error_code: string): Answer => ({
  status,
  body: { title: error_code, reason: 'The lesson is over.', error_code, retryable: false, status },
})
