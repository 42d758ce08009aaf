import type { Random } from '../platform/random.js'
import { createDataSet } from './dataSet.js'
import { createMeetingReader } from './createMeetingReader.js'
import {
  type AccountRow,
  type ApiKeyRow,
  type CredentialRow,
  KEY_STATES,
  type KeyState,
  MAIN_ACCOUNT,
  MAIN_HOLDER,
  type MeetingInput,
  type MeetingRow,
  OTHER_ACCOUNT,
  OTHER_HOLDER,
  type SessionTokenRow,
} from './rows.js'
import { createTable } from './table.js'

/** At least this many tokens are kept, valid and expired. The oldest are dropped. */
const REMEMBERED_TOKENS = 100_000

/** A row in which fields with a default are optional. */
type Given<TRow, TKey extends keyof TRow> = Pick<TRow, TKey> & {
  readonly [TField in Exclude<keyof TRow, TKey>]?: TRow[TField] | undefined
}

/** An API key to add. Default: a valid key of the account `main`. */
export type ApiKeyInput = Given<ApiKeyRow, 'key'>

/** A credential to add. Default: account and key holder `main`, with the scope `read`. */
export type CredentialInput = Given<CredentialRow, 'credential'>

/** The built-in credentials of the meetings interface. */
export interface BuiltInCredentials {
  readonly main: string
  /** Another credential of the same account and holder: it shares the rate limit. */
  readonly second: string
  /**
   * A credential of another account with its own limit, and of another key holder, who sees other meetings.
   */
  readonly other: string
  /** A credential without the scope `read`. */
  readonly withoutScope: string
}

export type Store = ReturnType<typeof createStore>

interface StoreOptions {
  readonly random: Random
  readonly now: () => number
  readonly keys: readonly ApiKeyInput[]
  readonly credentials: readonly CredentialInput[]
  /** Default: the built-in data set. */
  readonly meetings: readonly MeetingInput[] | undefined
  readonly extraFields: readonly string[]
}

export function createStore(options: StoreOptions) {
  const { random, now } = options
  const states = Object.keys(KEY_STATES) as KeyState[]
  // The cast: `fromEntries` does not keep the keys in its type.
  const builtInKeys = Object.fromEntries(
    states.map((state) => [state, `vk_${state}_${random.text(32)}`]),
  ) as Record<KeyState, string>
  const builtInCredentials: BuiltInCredentials = {
    main: `vm_main_${random.text(32)}`,
    second: `vm_second_${random.text(32)}`,
    other: `vm_other_${random.text(32)}`,
    withoutScope: `vm_withoutScope_${random.text(32)}`,
  }

  const keyInputs: readonly ApiKeyInput[] = [
    ...states.map((state) => ({ key: builtInKeys[state], state })),
    ...options.keys,
  ]
  const keyRows = keyInputs.map(
    ({ key, state = 'valid', account = MAIN_ACCOUNT, keyId, products }, index): ApiKeyRow => {
      return { key, keyId: keyId ?? 1_001 + index, account, state, products }
    },
  )
  const credentialInputs: readonly CredentialInput[] = [
    { credential: builtInCredentials.main },
    { credential: builtInCredentials.second },
    { credential: builtInCredentials.other, account: OTHER_ACCOUNT, holder: OTHER_HOLDER },
    { credential: builtInCredentials.withoutScope, scopes: [] },
    ...options.credentials,
  ]
  const credentialRows = credentialInputs.map(
    ({ credential, account = MAIN_ACCOUNT, holder = MAIN_HOLDER, scopes = ['read'] }): CredentialRow => {
      return { credential, account, holder, scopes }
    },
  )
  const accountIds = new Set([...keyRows, ...credentialRows].map(({ account }) => account))
  const accountRows = [...accountIds].map((id): AccountRow => ({ id, usageChecks: true }))

  const readMeeting = createMeetingReader(options.extraFields)
  const startMs = now()
  // Rows without a date are listed in the order in which they were given, the newest first.
  const meetingRows =
    options.meetings?.map((input, index) => readMeeting(input, startMs - index)) ??
    createDataSet(random, startMs)
  if (new Set(meetingRows.map(({ id }) => id)).size < meetingRows.length)
    throw new Error('Failed to start the emulator: two meetings have the same id. Give each a different id.')
  let newestMs = startMs

  const tables = {
    accounts: createTable({ name: 'accounts', idOf: (row) => row.id, rows: accountRows }),
    apiKeys: createTable({ name: 'apiKeys', idOf: (row) => row.key, rows: keyRows }),
    credentials: createTable({ name: 'credentials', idOf: (row) => row.credential, rows: credentialRows }),
    tokens: createTable<SessionTokenRow>({
      name: 'tokens',
      idOf: (row) => row.sessionKey,
      maxRows: REMEMBERED_TOKENS,
    }),
    meetings: createTable<MeetingRow, MeetingInput>({
      name: 'meetings',
      idOf: (row) => row.id,
      rows: meetingRows,
      read(input) {
        // Two rows of the same millisecond would have no defined order.
        newestMs = Math.max(now(), newestMs + 1)
        return readMeeting(input, newestMs)
      },
    }),
  }

  return {
    ...tables,
    /** A key of each state, and a credential of each kind. */
    builtInKeys,
    builtInCredentials,
    reset(): void {
      for (const table of Object.values(tables)) table.reset()
    },
  }
}
