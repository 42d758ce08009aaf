import { ASSUMED_MEETINGS_WIRE, MEETINGS_QUERY_ROLES, type MeetingsQueryRole } from '@stagepass/contract'
import type { Redactor } from '../report/createRedactor.js'
import type { WireReport } from '../report/Report.js'
import type { HttpResponse } from '../net/createHttp.js'
import type { ServiceSettings } from '../settings/Settings.js'
import type { MeetingsRequests, Params } from './list/createMeetingsRequests.js'
import { type Page, readPage } from './list/readPage.js'
import { readRefusal } from './list/readRefusal.js'

/** The wire as far as it is known: the defaults, replaced by what was seen. (Assumptions: "Meetings wire".) */
export interface Draft {
  listPath: string
  meetingPath: string
  tagsPath: string
  readonly params: Record<MeetingsQueryRole, string>
  readonly order: { newest: string; oldest: string }
  readonly ownershipWords: { mine: readonly string[]; shared: readonly string[] }
  items: string
  /** Paths of the values that were seen, such as `params.limit`. */
  readonly seen: Set<string>
}

export interface WireContext {
  readonly settings: ServiceSettings
  readonly redactor: Redactor
  readonly requests: MeetingsRequests
  readonly draft: Draft
  readonly found: {
    /** The list without parameters. */
    first?: Page
    /** The list with each tag parameter of `tagParams`. */
    tagged?: Page
    /** How the last page of a list is marked. */
    end?: 'null' | 'missing'
  }
}

export function createDraft(): Draft {
  const { listPath, meetingPath, tagsPath, params, order, ownershipWords, items } = ASSUMED_MEETINGS_WIRE
  const copies = { params: { ...params }, order: { ...order }, ownershipWords: { ...ownershipWords } }
  return { listPath, meetingPath, tagsPath, ...copies, items, seen: new Set() }
}

export function reportDraft({ seen, ...wire }: Draft): WireReport {
  const paths = [
    'listPath',
    'meetingPath',
    'tagsPath',
    ...MEETINGS_QUERY_ROLES.map((role) => `params.${role}`),
    'order.newest',
    'order.oldest',
    'ownershipWords.mine',
    'ownershipWords.shared',
    'items',
  ]
  return {
    wire,
    seen: paths.filter((path) => seen.has(path)),
    assumed: paths.filter((path) => !seen.has(path)),
  }
}

/** Writes down what was seen. */
export function see(draft: Draft, role: MeetingsQueryRole, name: string): void {
  draft.params[role] = name
  draft.seen.add(`params.${role}`)
}

/** A list request as it ended. `spent`: no list request is left. */
export type ListResult = Page | { readonly status: number; readonly text: string } | 'spent'

export async function listPage({ requests, draft, found }: WireContext, params: Params): Promise<ListResult> {
  if (requests.listsLeft === 0) return 'spent'
  const response = await requests.list(draft.listPath, params)
  const page = response.status === 200 ? readPage(response.json) : undefined
  if (!page || typeof page === 'string') return refusalOf(response)
  if (page.items.length > 0 && typeof page.cursor !== 'string')
    found.end = page.cursor === null ? 'null' : 'missing'
  return page
}

/** After a 400 that names a parameter, once more without it. */
export async function listTolerantly(context: WireContext, params: Params): Promise<ListResult> {
  const result = await listPage(context, params)
  if (isPage(result) || result === 'spent' || result.status !== 400) return result
  const { name } = readRefusal(result.text, params)
  if (name === undefined) return result
  const { [name]: _refused, ...rest } = params
  return listPage(context, rest)
}

const refusalOf = ({ status, text }: HttpResponse): { status: number; text: string } => ({ status, text })

export const isPage = (result: ListResult): result is Page => typeof result === 'object' && 'items' in result
