import createClient from 'openapi-fetch'
import type { components, paths } from './wire.js'

/*
 * What a user writes with types that were generated from the description. It prints what it gets from the
 * BFF at the given address.
 */

type Problem = components['schemas']['Problem']

// This library does not read how a list is written: the BFF takes `fields=title,participants`.
const querySerializer = { array: { style: 'form', explode: false } } as const
const client = createClient<paths>({ baseUrl: process.argv[2] ?? '', querySerializer })
const gate = { 'x-stagepass': '1' } as const

const token = await client.POST('/session-token', {
  params: { header: gate },
  body: { usage_type: 'stt', expiration_ttl: 30 },
})
const page = await client.GET('/meetings', {
  params: { header: gate, query: { limit: 2, fields: ['title', 'participants'] } },
})
const missing = await client.GET('/meetings/{id}', { params: { header: gate, path: { id: 'none' } } })
const code: Problem['error_code'] | undefined = missing.error?.error_code
const health = await client.GET('/health')

// @ts-expect-error -- the description knows the products
await client.POST('/session-token', { params: { header: gate }, body: { usage_type: 'asr' } })

// Only a request that asks for a session too can get a place in the queue.
const life: number | undefined =
  token.data && 'expires_in_ms' in token.data ? token.data.expires_in_ms : undefined
const ids: string[] | undefined = page.data?.meetings.map(({ id }) => id)
console.log(JSON.stringify({ life, ids, next: page.data?.next_cursor, code, health: health.data?.status }))
