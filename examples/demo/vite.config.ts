import react from '@vitejs/plugin-react'
import { defaultClientConditions, defaultServerConditions, defineConfig } from 'vite'
import { demoServer } from './server/demoServer.js'

// Packages are used from their sources: no build stands between an edit and the page.
const source = '@stagepass/source'
const { PORT = '5173', HOST: host = 'localhost' } = process.env
const port = Number(PORT)

// The login accepts requests from pages of this origin only.
process.env.PUBLIC_ORIGIN ??= `http://localhost:${port}`

export default defineConfig({
  plugins: [react(), demoServer()],
  resolve: { conditions: [source, ...defaultClientConditions] },
  // Node itself does not know `module`, and some packages have files under it that only bundlers can read.
  ssr: { resolve: { conditions: [source, ...defaultServerConditions.filter((name) => name !== 'module')] } },
  server: { host, port, strictPort: true },
  preview: { host, port, strictPort: true },
})
