export interface Load {
  /**
   * Requests for meetings with this number of users, in addition to the usual ones. Each user has another
   * query at each request.
   */
  users: number
  /** How many of ten pages are slow: their first word takes 300 ms longer. */
  slowPages: number
  stop(): void
}

/** Pages that report in a second to each BFF. */
const PAGES = 10

/**
 * Each second a token and a list from each BFF, and the figures of ten pages. The responses are ignored,
 * because the metrics show them.
 */
export function sendLoad(urls: readonly string[]): Load {
  let turn = 0
  const send = (url: string, user: string, init?: RequestInit): void => {
    const headers = { 'x-stagepass': '1', 'x-user': user, 'content-type': 'application/json' }
    fetch(url, { ...init, headers }).then(
      (response) => response.arrayBuffer(),
      () => undefined,
    )
  }
  const timer = setInterval(() => {
    turn += 1
    for (const url of urls) {
      // Another user each time, because `limits` count by user.
      send(`${url}/session-token`, `user-${turn % 60}`, { method: 'POST', body: '{"usage_type":"stt"}' })
      send(`${url}/meetings?limit=5`, `user-${turn % 60}`)
      for (let page = 0; page < PAGES; page += 1) {
        const firstText = [page < load.slowPages ? 900 : 600]
        const report = { engine: 'blink', network: '4g', products: { stt: { firstText } } }
        // Each page is of another user, because a user has a limit of reports.
        const user = `page-${turn % 60}-${page}`
        send(`${url}/vitals`, user, { method: 'POST', body: JSON.stringify(report) })
      }
      for (let user = 0; user < load.users; user += 1)
        send(`${url}/meetings?q=${turn}-${user}`, `visitor-${turn % 10}-${user}`)
    }
  }, 1_000)
  const load: Load = { users: 0, slowPages: 0, stop: () => clearInterval(timer) }
  return load
}
