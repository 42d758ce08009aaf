import { BffError } from '../base/BffError.js'
import { valueKind } from '../base/valueKind.js'
import { withSecret } from '../accounts/withSecret.js'
import { userKey } from '../grant/userKey.js'
import { searchOf } from '../meetings/narrowQuery.js'
import { sendInBudget } from '../meetings/sendInBudget.js'
import type { Caller } from './Caller.js'
import { refuse } from './refuse.js'
import type { Services } from './Services.js'

/** An operation of the meetings interface that has no call here, such as the import of a recording. */
export interface UserRequest {
  /** Default: GET. */
  readonly method?: (typeof METHODS)[number] | undefined
  /** Below `meetings.baseUrl`, such as `/recordings/import`. Encode the parts that come from a user. */
  readonly path: string
  /** Parameters of the query. They are encoded. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  /** The body, not with GET. */
  readonly json?: unknown
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** For events: never another text. */
export const methodOf = (request: UserRequest): string =>
  METHODS.find((one) => one === (Object(request) as UserRequest).method) ?? 'GET'

/** A segment of dots, also with parameters, `//`, `\\`, or a control character. */
const LEAVES_BASE = /(?:^|\/)\.{1,2}(?:;[^/]*)?(?:\/|$)|\/\/|[\\\p{Cc}]/u

/** Sends it with the credential of the grant, in the budget of the account. Resolves with the JSON. */
export async function requestOther(
  caller: Caller,
  request: UserRequest,
  { upstream, settings: { deadlineMs } }: Services,
): Promise<unknown> {
  const { method, path, body } = checked(request)
  const { context, grant, meetingsAccount: account } = caller
  const { credential, weight } = grant.meetings ?? refuse(caller, 'meetings')
  const user = userKey(grant)
  return withSecret(account.credentialOf(credential, user), context, (secret) =>
    sendInBudget(
      { upstream, deadlineMs },
      { operation: 'request', method, path, body },
      secret,
      { account, context },
      new Set([{ user, weight }]),
    ),
  )
}

/** Throws a VALIDATION_ERROR. Code without types may give anything. */
function checked({ method = 'GET', path, query = {}, json }: UserRequest) {
  if (!METHODS.includes(method)) throw wrong('method', `one of ${METHODS.join(', ')}`, method)
  if (typeof path !== 'string' || !isBelowBase(path)) throw wrong('path', PATH_RULE, path)
  const params = Object.entries(Object(query) as object)
  const isText = ([, value]: [string, unknown]): boolean =>
    value === undefined || ['string', 'number', 'boolean'].includes(typeof value)
  if (!params.every(isText)) throw wrong('query', 'an object of texts, numbers and booleans', query)
  if (json !== undefined && method === 'GET') throw wrong('json', 'left out with GET', json)
  const search = searchOf(params.map(([name, value]) => [name, value === undefined ? value : String(value)]))
  return { method, path: path + search, body: json === undefined ? undefined : bodyOf(json) }
}

const PATH_RULE =
  'the path of the operation below `meetings.baseUrl`, such as "/recordings/import": without a scheme, a host, "//", a segment "." or "..", a backslash or a control character, also not percent-encoded. Encode a part that comes from a user with `encodeURIComponent`, and give parameters in `query`'

/** A server may decode a path twice. */
function isBelowBase(path: string): boolean {
  if (!/^\/[\x21-\x7e]*$/.test(path) || /[?#]/.test(path)) return false
  let form = path
  for (let turn = 0; turn < 3; turn += 1) {
    if (LEAVES_BASE.test(form)) return false
    try {
      form = decodeURIComponent(form)
    } catch {
      // A percent sign that was encoded.
      return turn > 0
    }
  }
  return true
}

function bodyOf(json: unknown): string {
  try {
    const text = JSON.stringify(json) as string | undefined
    if (text !== undefined) return text
  } catch {
    // A circle, or a BigInt.
  }
  throw wrong('json', 'a value that JSON can hold', json)
}

const wrong = (name: string, rule: string, value: unknown): BffError =>
  new BffError('VALIDATION_ERROR', {
    field: name,
    seen: { cause: 'rule', name, rule, got: ` It is ${value === undefined ? 'missing' : valueKind(value)}.` },
  })
