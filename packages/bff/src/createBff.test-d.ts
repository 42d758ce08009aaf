import { createServer, type RequestListener } from 'node:http'
import type { MeetingsWire } from '@stagepass/contract'
import express, { type RequestHandler } from 'express'
import { expectTypeOf } from 'vitest'
import { type Bff, type BffEvent, createBff, type Grant, type Secret } from './index.js'

declare const user: { id: string; supportId?: string; meetingsKey: string } | undefined
declare const env: Record<string, string | undefined>

// The example of the documentation, with an environment that may lack everything and a user who may not be there.
const bff = createBff({
  apiKey: env['VOICE_API_KEY'],
  baseUrl: env['VOICE_BASE_URL'],
  streamingUrl: env['VOICE_STREAMING_URL'],
  authorize: async (req) => {
    expectTypeOf(req.headers.cookie).toEqualTypeOf<string | undefined>()
    return (
      user && {
        user: user.id,
        products: ['stt', 'vt'],
        maxTtlMinutes: 60,
        sessionId: user.supportId,
        meetings: { credential: user.meetingsKey, ownership: 'mine', fields: ['title', 'started_at'] },
      }
    )
  },
  meetings: { baseUrl: env['VOICE_MEETINGS_URL'], wire: { params: { q: 'search' } }, reserve: 0 },
  limits: { tokensPerMinute: 30 },
  onEvent: (event) => {
    expectTypeOf(event).toEqualTypeOf<BffEvent>()
    if (event.type === 'request.finished') expectTypeOf(event.durationMs).toEqualTypeOf<number>()
  },
})
express().use('/api/voice', bff)

expectTypeOf(bff).toEqualTypeOf<Bff>()
expectTypeOf(bff).toExtend<RequestHandler>()
expectTypeOf(bff).toExtend<RequestListener>()
createServer(bff)
expectTypeOf(bff.close()).toEqualTypeOf<Promise<void>>()
expectTypeOf<Secret>().toEqualTypeOf<string | (() => string | Promise<string>)>()
expectTypeOf<MeetingsWire['order']['oldest']>().toEqualTypeOf<string>()

// @ts-expect-error authorize is required
createBff({ apiKey: 'k', baseUrl: 'https://a', streamingUrl: 'wss://a' })
const complete = { apiKey: 'k', baseUrl: 'https://a', streamingUrl: 'wss://a', authorize: () => null }
// @ts-expect-error a misspelt option
createBff({ ...complete, allowOrigins: [] })
// @ts-expect-error a product that does not exist
export const wrongProduct: Grant = { user: 'a', products: ['sst'] }
// @ts-expect-error a misspelt limit would be no limit
export const wrongKey: Grant = { user: 'a', maxTTL: 5 }
