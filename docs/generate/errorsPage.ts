import { BFF_ERRORS, codesOf, HANDSHAKE_ERRORS, HANDSHAKE_HINTS, type Hints } from '@stagepass/contract'
import { format, resolveConfig } from 'prettier'
import { CLIENT_ERRORS } from '../../packages/react/src/errors/clientErrors.js'
import { LOST_BY } from '../../packages/react/src/errors/lostBy.js'

/** Made of the tables of errors. */
export const ERRORS_PAGE = 'docs/errors.md'

interface Row {
  readonly status?: number
  readonly retryable: boolean
  readonly title: string
  readonly hint: string | Hints | false
}

const HEAD = `<!-- Written by docs/generate/errorsPage.ts from the tables of errors. Do not edit. -->

# Errors

Look up an error by its code or its status. Each code has a section below.
`

/** After the list: what holds for all of them. */
const NOTES = `## How to read an error

Branch on \`error_code\` (in a response) or \`error.code\` (in a hook), never on text. \`retryable: false\` is final, whatever the status. Give \`req_id\` to the voice service's support, and \`request_id\` to the operator of the BFF; both are in the response, in \`VoiceError\` (\`reqId\`, \`requestId\`) and in the events.

Each section has the status, the \`message\` (in a response \`title\`), the cause, and what to do. If a code has several causes, \`hint\` in a development build of the page and the log of the server say which it was, with what was seen.
`

/** Each reason with its sentence. */
const losses = Object.entries(LOST_BY)
  .map(([by, sentence]) => `- \`${by}\`: ${sentence}`)
  .join('\n')

const PARTS: readonly (readonly [heading: string, text: string, table: Readonly<Record<string, Row>>])[] = [
  ['From the BFF', 'These errors are `application/problem+json`.', BFF_ERRORS],
  [
    'From the handshake of a stream',
    "These codes have [the contract's spelling](contract.md#handshake-errors) on every wire. A browser sees a refused handshake only as close 1006, so the stream gets the code by one handshake check through the BFF.",
    Object.fromEntries(
      codesOf(HANDSHAKE_ERRORS).map((code) => [
        code,
        { ...HANDSHAKE_ERRORS[code], hint: HANDSHAKE_HINTS[code] },
      ]),
    ),
  ],
  ['In the browser', 'The page finds these errors itself; they have no status.', CLIENT_ERRORS],
  [
    'Why a stream reconnects',
    `\`failureReason.lostBy\` says what ended an open connection, and so does the event \`stream.reconnecting\`. Without \`lostBy\`, a first connection could not be made: \`code\` says why.\n\n${losses}`,
    {},
  ],
]

/**
 * In a hint, pages and codes are plain names, because it is also shown in consoles. Here they become links.
 */
const linked = (hint: string): string =>
  hint
    // The steps for each reader become a separate paragraph.
    .replaceAll(/ (?=(?:Back-end developer|Developer|Operator): )/g, '\n\n')
    .replaceAll(/\b([a-z]+)\.md\b/g, '[$1.md]($1.md)')
    .replaceAll(/`?\b([A-Z]+_[A-Z_]+)\b`?/g, (text, code: string) =>
      Object.hasOwn(BFF_ERRORS, code) ? `[${code}](#${code.toLowerCase()})` : text,
    )

/** The codes of each status, final ones and others apart. */
function listOfStatuses(): string {
  const codes = new Map<string, string[]>()
  for (const [code, { status = 0, retryable }] of PARTS.flatMap(([, , table]) => Object.entries(table))) {
    const key = `${status || 'No status'}, ${retryable ? 'retryable' : 'final'}`
    codes.set(key, [...(codes.get(key) ?? []), `[${code}](#${code.toLowerCase()})`])
  }
  const rows = [...codes].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `${rows.map(([key, links]) => `- ${key}: ${links.join(', ')}`).join('\n')}\n`
}

function section([code, { status, retryable, title, hint }]: readonly [string, Row]): string {
  const kind = retryable ? 'retryable' : 'final'
  const start =
    status === undefined ? kind.replace(/^./, (letter) => letter.toUpperCase()) : `${status}, ${kind}`
  return `### ${code}\n\n${start}. “${title}”\n\n${linked((typeof hint === 'object' ? hint.otherwise : hint) || '')}\n`
}

export async function errorsText(): Promise<string> {
  const parts = PARTS.map(([heading, text, table]) =>
    [`## ${heading}\n\n${text}\n`, ...Object.entries(table).map(section)].join('\n'),
  )
  return format([HEAD, listOfStatuses(), NOTES, ...parts].join('\n'), {
    ...(await resolveConfig(ERRORS_PAGE)),
    parser: 'markdown',
  })
}
