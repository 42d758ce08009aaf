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
   * A page of the list, or the status of a refusal. Ends the check if the response says nothing about the
   * parameters.
   */
  readonly list: (params: Params) => Promise<MeetingsPage | number>
  /** The list without parameters. Checks that use it need `items`. */
  readonly wholeList: () => Promise<MeetingsPage>
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

  async function list(params: Params): Promise<MeetingsPage | number> {
    const response = await ask(wire.listPath, params)
    const { status } = response
    if (status >= 400 && status < 500 && status !== 429) return status
    const page = status === 200 ? readMeetingsPage(response.json, wire) : undefined
    if (page) return page
    const [role = 'limit'] = Object.keys(params) as MeetingsQueryRole[]
    const seen = `With ${wire.params[role]} the service answered ${status}`
    if (status !== 200) throw new CheckEnded(notProvable(`${seen}.`, 'Run it again later.'))
    const advice = 'Set items and cursor to places that are in every answer.'
    throw new CheckEnded(contradicted(`${seen} in another form: ${shapeOf(response)}.`, advice))
  }

  async function wholeList(): Promise<MeetingsPage> {
    const page = await list({})
    return typeof page === 'number' ? { rows: [], cursor: null, total: undefined } : page
  }

  return { ...run, settings, wire, ask, list, wholeList, shapeOf }
}

/** Most proofs need some meetings to tell one answer from another. */
export const MORE =
  'Use the credential of a person who has more meetings, of different days, lengths and tags.'

export type Rows = readonly MeetingRow[]

/** A refusal gives no meetings. */
export const rowsOf = (page: MeetingsPage | number): Rows => (typeof page === 'number' ? [] : page.rows)

export const haveCommon = (one: Rows, other: Rows): boolean =>
  one.some((row) => other.some(({ id }) => id === row.id))
