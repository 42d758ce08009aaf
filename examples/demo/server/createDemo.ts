import { createBff } from '@stagepass/bff'
import express from 'express'
import type { RequestListener } from 'node:http'
import { createAuthorize } from './authorize.js'
import { createFeed } from './createFeed.js'
import { demoRoutes } from './demoRoutes.js'
import { openUpstream } from './openUpstream.js'
import { createSessions, forUsers, signInRoutes } from './signIn.js'

/**
 * The server side of the demo: what an application's own server would be, and what plays the voice service
 * behind it.
 */
export interface Demo {
  /** For the terminal, a line each. */
  readonly about: readonly string[]
  /** What a production server would send with the page. */
  readonly pageHeaders: Readonly<Record<string, string>>
  readonly handle: RequestListener
  close(): Promise<void>
}

/** How often the page hears how the budget and the sockets stand. */
const GAUGE_MS = 500

export async function createDemo(environment: NodeJS.ProcessEnv): Promise<Demo> {
  const upstream = await openUpstream(environment)
  const feed = createFeed()
  const bff = createBff({
    ...upstream.bffOptions,
    authorize: createAuthorize(upstream),
    meetings: {
      ...upstream.bffOptions.meetings,
      wire: { extraFields: upstream.extraFields },
    },
    // One person tries everything here, faults and all.
    limits: { tokensPerMinute: 600, meetingsPerMinute: 1_200 },
    onEvent: (event) => feed.send('bff', event, 'user' in event ? event.user : undefined),
  })

  const gauge = setInterval(() => {
    feed.send('gauge', {
      budget: bff.gauge(),
      sockets: upstream.emulator?.sockets.map(({ id, product, received, sent }) => ({
        id,
        product,
        received,
        sent,
      })),
    })
  }, GAUGE_MS)

  const app = express()
  app.disable('x-powered-by')
  app.use(createSessions(environment.PORT ?? '5173'))
  app.use('/api/voice', bff)
  app.use('/api/demo/session', signInRoutes())
  app.use('/api/demo', forUsers, demoRoutes(upstream, feed))
  app.use((_request, response) => {
    response.status(404).json({ error: 'There is nothing at this address.' })
  })

  return {
    about: upstream.emulator
      ? [
          `Upstream  emulator at ${upstream.bffOptions.baseUrl} (no key, no account; set VOICE_API_KEY and others for the real service)`,
          'BFF       /api/voice',
        ]
      : [`Upstream  ${upstream.bffOptions.baseUrl} (VOICE_* is set)`, 'BFF       /api/voice'],
    pageHeaders: pageHeaders(new URL(upstream.bffOptions.streamingUrl).origin),
    handle: app,
    async close() {
      clearInterval(gauge)
      await bff.close()
      await upstream.close()
    },
  }
}

/** `streamingOrigin`: where the page may connect to, beside its own origin. */
const pageHeaders = (streamingOrigin: string): Demo['pageHeaders'] => ({
  'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' ${streamingOrigin}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
})
