import type { Express } from 'express'
import express from 'express'
import session from 'express-session'
import type { Voice } from './voice.js'

declare module 'express-session' {
  interface SessionData {
    userId: string
  }
}

/** The application as it was before Stagepass came: its own login session, its own parser, its own routes. */
export function createApp(options: { sessionSecret: string; voice?: Voice | undefined }): Express {
  const app = express()
  app.disable('x-powered-by')
  app.use(
    session({
      secret: options.sessionSecret,
      resave: false,
      saveUninitialized: false,
      cookie: { sameSite: 'strict' },
    }),
  )
  app.use(express.json())

  app.post('/login', (req, res) => {
    // A real application checks a password here.
    const { user } = req.body as { user?: unknown }
    if (typeof user !== 'string' || user === '') {
      res.status(400).json({ error: 'user is missing' })
      return
    }
    req.session.userId = user
    res.json({ user })
  })
  app.get('/me', (req, res) => {
    res.json({ user: req.session.userId ?? null })
  })

  if (options.voice) app.use('/api/voice', options.voice) // the one line that mounts Stagepass

  return app
}
