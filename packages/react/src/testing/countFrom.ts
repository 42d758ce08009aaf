import type { Grant } from '@stagepass/bff/fetch'
import type { UsageResponse } from '@stagepass/contract'

type Usage = Grant['usage']

/**
 * Starts the usage of the day, and of its month, at a number of minutes. The BFF counts from zero, with the rest
 * of each limit, and its responses to the page are raised by the minutes before.
 */
export function countFrom(usedMinutes: number, usage: Usage) {
  const usedMs = usedMinutes * 60_000
  return {
    usage: usage && {
      minutesPerDay: restOf(usage.minutesPerDay, usedMinutes),
      minutesPerMonth: restOf(usage.minutesPerMonth, usedMinutes),
    },
    async answer(request: Request, response: Response): Promise<Response> {
      if (usedMs === 0 || !response.ok || !request.url.endsWith('/usage')) return response
      const { usage } = (await response.json()) as UsageResponse
      const rows = Object.entries(usage).map(([product, row]) => [
        product,
        {
          ...row,
          used_ms: row.used_ms + usedMs,
          limit_ms: row.limit_ms === null ? null : row.limit_ms + usedMs,
        },
      ])
      return Response.json({ usage: Object.fromEntries(rows) })
    },
  }
}

/** What is left of each limit. */
function restOf(limits: NonNullable<Usage>['minutesPerDay'], used: number): typeof limits {
  const rest = (limit: number | undefined): number | undefined => limit && Math.max(0, limit - used)
  if (typeof limits !== 'object') return rest(limits)
  return Object.fromEntries(Object.entries(limits).map(([product, limit]) => [product, rest(limit)]))
}
