import { createServer } from 'vite'
import { render } from './server/server.js'

// Renders the page on a server: from the build, and with Vite's dev server.
const dev = await createServer({ server: { middlewareMode: true }, appType: 'custom' })
const module = await dev.ssrLoadModule('/src/server.tsx')
for (const html of [render(), module.render()])
  if (!html.includes('token pending')) throw new Error('unexpected page: ' + html)
await dev.close()
