import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import { type BffUser, isBffError } from '@stagepass/bff'
import { MEETINGS_PARAMS } from '@stagepass/contract'
import { fence } from './fence.js'

type Arguments = Readonly<Record<string, unknown>>

interface Tool {
  readonly description: string
  readonly inputSchema: ReturnType<typeof schemaOf>
  /** Returns the text of the answer. The arguments fit the schema. */
  readonly answer: (user: BffUser, given: Arguments, signal: AbortSignal) => Promise<string>
}

/** The filters of the list, with the schemas of the contract's table. */
const FILTERS = Object.fromEntries(
  Object.entries(MEETINGS_PARAMS).map(([name, { schema }]) => [name, schema]),
)

/** More than all filters of a search have. The refusal of a call has a sentence for each wrong value. */
const MAX_VALUES = 128

const TOOLS: Readonly<Record<string, Tool>> = {
  search_meetings: {
    description:
      "Lists the user's meetings, with their ids. `search` looks in titles, notes and participants, not in transcripts. `from` and `to` are dates, or times with a zone, in ISO 8601. `tags` are ids of list_tags. `cursor` is the next_cursor of the page before.",
    inputSchema: schemaOf(FILTERS),
    answer: async (user, given, signal) => {
      const { meetings, next_cursor } = await user.meetings(given, { signal })
      const rest = next_cursor === null ? 'These are all.' : `next_cursor: ${JSON.stringify(next_cursor)}`
      return `${meetings.length} meetings. ${rest}\n${fence(meetings)}`
    },
  },
  get_meeting: {
    description: 'Reads one meeting of the user by its id. `participants` comes only if `fields` names it.',
    inputSchema: schemaOf({ id: { type: 'string' }, fields: MEETINGS_PARAMS.fields.schema }, ['id']),
    answer: async (user, { id, ...fields }, signal) =>
      fence([await user.meeting(id as string, { ...fields, signal })]),
  },
  list_tags: {
    description: 'Lists the tags of meetings, with their ids.',
    inputSchema: schemaOf({}),
    answer: async (user, _given, signal) => fence((await user.tags({ signal })).tags),
  },
}

/** The tools for one user, and for one request. */
export function createTools(user: BffUser): McpServer {
  const mcp = new McpServer({ name: 'meetings', version: '1.0.0' }, { maxToolInputElements: MAX_VALUES })
  for (const [name, { answer, ...tool }] of Object.entries(TOOLS)) {
    const config = { ...tool, annotations: { readOnlyHint: true } }
    mcp.registerTool(name, config, async (given, { mcpReq }) => {
      try {
        return { content: [{ type: 'text', text: await answer(user, given, mcpReq.signal) }] }
      } catch (error) {
        if (!isBffError(error)) throw error
        const { message, field, retryable, retryAfterMs } = error
        const about = field === undefined ? '' : ` Correct the argument ${field}.`
        const wait = retryAfterMs === undefined ? 'later' : `in ${Math.ceil(retryAfterMs / 1_000)} seconds`
        const next = retryable ? `Try again ${wait}.` : 'Do not repeat the same call.'
        return { isError: true, content: [{ type: 'text', text: `${message}${about} ${next}` }] }
      }
    })
  }
  return mcp
}

function schemaOf(properties: Readonly<Record<string, object>>, required: string[] = []) {
  return fromJsonSchema<Arguments>({ type: 'object', properties, required, additionalProperties: false })
}
