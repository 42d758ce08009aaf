import type { MeetingRow } from '@stagepass/emulator'
import express, { Router } from 'express'
import type { Feed } from './createFeed.js'
import { applyFault, FAULT_CODES, readFaultRequest } from './faults.js'
import type { Upstream } from './openUpstream.js'
import { userOf } from './signIn.js'

/**
 * What the page of the demo asks beside the BFF: what runs here, what happens, and for something to go wrong.
 */
export function demoRoutes({ emulator, bffOptions }: Upstream, feed: Feed): Router {
  const router = Router()

  router.get('/state', (request, response) => {
    const visible = (row: MeetingRow): boolean => userOf(request) !== 'ben' || row.visibility === 'owned'
    response.json({
      upstream: emulator ? 'emulator' : 'service',
      address: new URL(bffOptions.baseUrl).host,
      faultCodes: emulator ? FAULT_CODES : undefined,
      processing:
        emulator?.meetings
          .all()
          .filter((row) => row.processing && visible(row))
          .slice(0, 3)
          .map(({ id, title }) => ({ id, title })) ?? [],
    })
  })

  router.get('/events', feed.route)

  router.post('/faults', express.json({ limit: '1kb' }), (request, response) => {
    if (!emulator) {
      response.status(409).json({ error: 'Faults can be injected into the emulator alone.' })
      return
    }
    const fault = readFaultRequest(request.body)
    if (!fault) {
      response.status(400).json({ error: 'This is not a fault that the demo knows.' })
      return
    }
    applyFault(emulator, fault)
    feed.send('fault', fault)
    response.status(204).end()
  })

  return router
}
