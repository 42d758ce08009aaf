import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { type Stack } from '@stagepass/testing'
import { rawRequest } from './rawRequest.test.kit.js'

export interface AskOptions {
  readonly method?: string
  /** Headers in addition to those of the gate and of JSON. `undefined` removes a header. */
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | undefined
}

export interface Asked {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** `error_code` of a problem. */
  readonly code: string | undefined
}

/** A request to the BFF, exactly as given: `fetch` forbids some headers, and rewrites paths. */
export async function ask(stack: Stack, path: string, options: AskOptions = {}): Promise<Asked> {
  const given = { 'x-stagepass': '1', 'content-type': 'application/json', ...options.headers }
  const headers = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const answer = await rawRequest(stack.origin, { ...options, path: `/api/voice${path}`, headers })
  const problem = (answer.text === '' ? {} : JSON.parse(answer.text)) as { error_code?: string }
  return { ...answer, code: problem.error_code }
}

/** A valid request for each route. */
export const ROUTE_BODIES: Readonly<Record<string, string>> = {
  'session-token': '{"usage_type":"stt"}',
  'usage-report': '{"receipt":"r","used_ms":0}',
  vitals: '{"engine":"blink","network":"4g","products":{}}',
  session: '{"usage_type":"stt"}',
  'session-renewal': '{}',
  'handshake-check': '{"usage_type":"stt","session_key":"st_1"}',
}

/** A response of the token endpoint. */
export const tokenBody = (data: object = {}, envelope: object = {}): object => ({
  code: 0,
  message: 'Success',
  req_id: '0b9c2a54-1d3e-4f60-8a71-92b3c4d5e6f7',
  ...envelope,
  data: {
    session_key: 'st_1',
    expires_at: '2099-01-01T00:00:00.000Z',
    key_id: 1,
    status: 'active',
    type: 'session',
    usage_type: 'stt',
    ...data,
  },
})
