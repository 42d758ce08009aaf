import type { Express } from 'express'
import express from 'express'
import type { LoginOptions } from './login.js'
import { createLogin } from './login.js'
import type { Voice } from './voice.js'

/** The application as it was before Stagepass came: its own login, its own parser, its own routes. */
export function createApp({ voice, ...options }: LoginOptions & { readonly voice: Voice }): Express {
  const app = express()
  app.disable('x-powered-by')
  // An https origin means a proxy in front, because this server itself speaks plain http: that one proxy may say how the browser came.
  if (options.publicOrigin.startsWith('https:')) app.set('trust proxy', 1)
  app.use(express.json({ limit: '10kb' }))
  app.use(createLogin(options))
  app.use('/api/voice', voice) // the one line that mounts Stagepass
  return app
}
