import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import { type BffEvent, createBff, type Grant } from '@stagepass/bff'
import { fromJwt } from '@stagepass/bff/authorize'
import { createEmulator, type EmulatorOptions } from '@stagepass/emulator'
import type { Request } from 'express'
import { createApp } from './app.js'
import { startDevelopmentIssuer } from './developmentIssuer.js'

interface AssistantOptions {
  readonly meetings?: EmulatorOptions['meetings']
  readonly meetingsPerMinute?: number
  /** In place of the bearer token. */
  readonly authorize?: (credential: string) => Grant
}

/** The MCP server on an emulator, and clients of the SDK. */
export async function startAssistant({ meetings, meetingsPerMinute, authorize }: AssistantOptions = {}) {
  const upstream = await createEmulator({ port: 0, meetings })
  const credential = upstream.meetingsCredential
  const issuer = await startDevelopmentIssuer()
  const byToken = fromJwt({ ...issuer.options, meetingsCredential: credential })
  const events: BffEvent[] = []
  const bff = createBff<Request>({
    ...upstream.bffOptions,
    authorize: byToken,
    limits: { meetingsPerMinute },
    onEvent: (event) => void events.push(event),
    logger: false,
  })
  const server = createApp({
    bff,
    authorize: authorize ? () => Promise.resolve(authorize(credential)) : byToken,
    hosts: ['127.0.0.1'],
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const clients: Client[] = []

  return {
    upstream,
    issuer,
    events,
    url,
    tokenOf: (user: string, ownership: 'mine' | 'shared' | 'all' = 'all') =>
      issuer.sign(user, { meetings: { ownership } }),
    async connect(token: string, mode: VersionNegotiationMode = 'legacy') {
      const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
      clients.push(client)
      const requestInit = { headers: { authorization: `Bearer ${token}` } }
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
      return {
        client,
        call: async (name: string, given: Record<string, unknown> = {}) => {
          const params = { name, arguments: given }
          const result = await client.callTool(params)
          const [content] = result.content
          return { isError: result.isError === true, text: content?.type === 'text' ? content.text : '' }
        },
      }
    },
    /** Sends a message as a client does, with the given headers. */
    post: (message: object | string, headers: Record<string, string> = {}) =>
      fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: typeof message === 'string' ? message : JSON.stringify(message),
      }),
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.close()))
      await bff.close()
      server.closeAllConnections()
      server.close()
      issuer.close()
      await upstream.close()
    },
  }
}
