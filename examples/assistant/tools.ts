import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { type BffUser, isBffError } from '@stagepass/bff'
import { MEETINGS_PARAMS } from '@stagepass/contract'
import { fence } from './fence.js'

type Arguments = Readonly<Record<string, unknown>>

interface Tool {
  readonly description: string
  readonly properties: Readonly<Record<string, object>>
  readonly required: string[]
  /** Returns the text of the answer. The arguments fit the properties. */
  readonly answer: (user: BffUser, given: Arguments, signal: AbortSignal) => Promise<string>
}

const FIELDS = MEETINGS_PARAMS.fields.schema

/** The filters of the list, with the schemas of the contract's table. */
const FILTERS = Object.fromEntries(
  Object.entries(MEETINGS_PARAMS).map(([name, { schema }]) => [name, schema]),
)

const TOOLS: Readonly<Record<string, Tool>> = {
  search_meetings: {
    description:
      "Lists the user's meetings, with their ids. `search` looks in titles, notes and participants, not in transcripts. `from` and `to` are dates, or times with a zone, in ISO 8601. `tags` are ids of list_tags. `cursor` is the next_cursor of the page before.",
    properties: FILTERS,
    required: [],
    answer: async (user, given, signal) => {
      const { meetings, next_cursor } = await user.meetings(given, { signal })
      const rest = next_cursor === null ? 'These are all.' : `next_cursor: ${JSON.stringify(next_cursor)}`
      return `${meetings.length} meetings. ${rest}\n${fence(meetings)}`
    },
  },
  get_meeting: {
    description: 'Reads one meeting of the user by its id. `participants` comes only if `fields` names it.',
    properties: { id: { type: 'string' }, fields: FIELDS },
    required: ['id'],
    answer: async (user, { id, ...fields }, signal) =>
      fence([await user.meeting(id as string, { ...fields, signal })]),
  },
  list_tags: {
    description: 'Lists the tags of meetings, with their ids.',
    properties: {},
    required: [],
    answer: async (user, _given, signal) => fence((await user.tags({ signal })).tags),
  },
}

const LISTED = Object.entries(TOOLS).map(([name, { description, properties, required }]) => ({
  name,
  description,
  inputSchema: { type: 'object' as const, properties, required, additionalProperties: false },
  annotations: { readOnlyHint: true },
}))

/** A list of wrong values has a sentence for each. */
const MAX_REASON = 500

const validator = new AjvJsonSchemaValidator()
const VALIDATORS = new Map(LISTED.map(({ name, inputSchema }) => [name, validator.getValidator(inputSchema)]))

/**
 * The tools for one user. A server is for one request: the SDK would mix the answers of two clients that share
 * it. The handlers are those below `registerTool`, which takes schemas of zod and no JSON Schema.
 */
export function createTools(user: BffUser): McpServer {
  const mcp = new McpServer({ name: 'meetings', version: '1.0.0' }, { capabilities: { tools: {} } })
  mcp.server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: LISTED }))
  mcp.server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const { name, arguments: given = {} } = params
    const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `There is no tool with this name.`)
    // Before the validator, which writes a sentence for each.
    const unknown = Object.keys(given).some((argument) => !Object.hasOwn(tool.properties, argument))
    if (unknown)
      return refused(
        `The tool has no additional properties. Its arguments are: ${Object.keys(tool.properties).join(', ') || 'none'}.`,
      )
    const checked = VALIDATORS.get(name)?.(given)
    if (checked?.valid === false)
      return refused(`The arguments were refused: ${checked.errorMessage.slice(0, MAX_REASON)}.`)
    try {
      return { content: [{ type: 'text', text: await tool.answer(user, given, signal) }] }
    } catch (error) {
      if (!isBffError(error)) throw error
      const { message, field, retryable, retryAfterMs } = error
      const about = field === undefined ? '' : ` Correct the argument ${field}.`
      const wait = retryAfterMs === undefined ? 'later' : `in ${Math.ceil(retryAfterMs / 1_000)} seconds`
      return refused(
        `${message}${about} ${retryable ? `Try again ${wait}.` : 'Do not repeat the same call.'}`,
      )
    }
  })
  return mcp
}

/** An answer that the model reads. Errors of JSON-RPC may not reach it. */
const refused = (text: string): CallToolResult => ({ isError: true, content: [{ type: 'text', text }] })
