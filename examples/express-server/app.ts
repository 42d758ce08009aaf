import type { Bff } from '@stagepass/bff'
import type { Express, Request } from 'express'
import express from 'express'
import type { Login } from '../login/login.js'
import { fetchRoute } from './fetchRoute.js'

/** The application as it was before Stagepass came: its own login, its own parser, its own routes. */
export function createApp(login: Login, voice: Bff<Request>): Express {
  const app = express()
  app.disable('x-powered-by')
  app.post('/login', fetchRoute(login.signIn))
  app.post('/logout', fetchRoute(login.signOut))
  app.get('/me', (req, res) => {
    res.set('cache-control', 'no-store').json({ user: login.userOf(req.headers.cookie) ?? null })
  })
  // Before the parser: Express prints a body that it cannot parse, and one of a voice route can hold a
  // session token.
  app.use('/api/voice', voice) // the one line that mounts Stagepass
  app.use(express.json({ limit: '10kb' }))
  return app
}
