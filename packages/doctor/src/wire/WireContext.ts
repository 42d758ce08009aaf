import {
  type MeetingRow,
  type MeetingsPage,
  type MeetingsQueryRole,
  type MeetingsWire,
  readMeetingsPage,
} from '@stagepass/contract'
import type { Run } from '../checks/Check.js'
import type { HttpResponse } from '../net/createHttp.js'
import { CheckEnded, contradicted, notProvable } from '../report/Result.js'
import { below } from '../settings/readVariables.js'
import type { ServiceSettings } from '../settings/Settings.js'
import { formatShape } from './formatShape.js'

/** Parameters of the list by their roles. */
export type Params = Readonly<Partial<Record<MeetingsQueryRole, string>>>

export interface Page extends MeetingsPage {
  /** The status of a refusal, which gives no meetings. */
  readonly refusedBy?: number | undefined
}

/**
 * What the checks of the meetings interface can ask. Each question is asked once: several checks look at the
 * same response.
 */
export interface WireContext extends Run {
  readonly settings: ServiceSettings
  readonly wire: MeetingsWire
  /** A GET below the meetings base. */
  readonly ask: (path: string, params?: Params) => Promise<HttpResponse>
  /**
   * A page of the list. Ends the check if the response says nothing about the parameters. Checks that use it
   * need `items`.
   */
  readonly list: (params?: Params) => Promise<Page>
  readonly shapeOf: (response: HttpResponse) => string
}

export function createWireContext(run: Run, settings: ServiceSettings, wire: MeetingsWire): WireContext {
  const responses = new Map<string, Promise<HttpResponse>>()
  const shapeOf = ({ json }: HttpResponse): string => formatShape(json, run.redactor)

  function ask(path: string, params: Params = {}): Promise<HttpResponse> {
    const url = below(settings.meetingsUrl, path)
    // Encoded as the BFF does it.
    url.search = (Object.keys(params) as MeetingsQueryRole[])
      .map((role) => [wire.params[role], params[role] ?? ''].map(encodeURIComponent).join('='))
      .join('&')
    const headers = { authorization: `Bearer ${settings.meetingsToken}` }
    const response = responses.get(url.href) ?? run.sendToMeetings({ url, headers })
    responses.set(url.href, response)
    return response
  }

  async function list(params: Params = {}): Promise<Page> {
    const response = await ask(wire.listPath, params)
    const { status } = response
    if (status >= 400 && status < 500 && status !== 429)
      return { rows: [], cursor: null, total: undefined, refusedBy: status }
    const page = status === 200 ? readMeetingsPage(response.json, wire) : undefined
    if (page) return page
    const [role = 'limit'] = Object.keys(params) as MeetingsQueryRole[]
    const seen = `With ${wire.params[role]} the service answered ${status}`
    if (status !== 200) throw new CheckEnded(notProvable(`${seen}.`, 'Run it again later.'))
    const advice = 'Set items and cursor to places that are in every answer.'
    throw new CheckEnded(contradicted(`${seen} in another form: ${shapeOf(response)}.`, advice))
  }

  return { ...run, settings, wire, ask, list, shapeOf }
}

/** Most proofs need some meetings to tell one answer from another. */
export const MORE =
  'Use the credential of a person who has more meetings, of different days, lengths and tags.'

export type Rows = readonly MeetingRow[]

export const haveCommon = (one: Rows, other: Rows): boolean =>
  one.some((row) => other.some(({ id }) => id === row.id))

/**
 * The same meetings in the same order. In a long list, one may have come or gone between the two requests.
 */
export function isSame(one: Rows, other: Rows): boolean {
  const [ids, others] = [one.map(({ id }) => id), other.map(({ id }) => id)]
  const common = others.filter((id) => ids.includes(id))
  const inOrder = ids.filter((id) => others.includes(id)).join() === common.join()
  const tolerance = Math.min(ids.length, others.length) < 10 ? 0 : 1
  return inOrder && Math.max(ids.length, others.length) - common.length <= tolerance
}

/** Milliseconds since the epoch, of the meetings that say when they were. */
export const startsOf = (rows: Rows): number[] =>
  rows.map(({ started_at }) => Date.parse(String(started_at))).filter(Number.isFinite)

export const countOf = ({ refusedBy, rows }: Page): string =>
  refusedBy ? `a refusal (${refusedBy})` : `${rows.length} meetings`
