import react from '@vitejs/plugin-react'
import { defaultClientConditions, defaultServerConditions, defineConfig } from 'vite'
import { demoServer } from './server/demoServer.js'

// Packages are used from their sources: no build stands between an edit and the page.
const source = '@stagepass/source'
const port = Number(process.env.PORT ?? 5173)

// The login accepts requests from pages of this origin only.
process.env.PUBLIC_ORIGIN ??= `http://localhost:${port}`

export default defineConfig({
  plugins: [react(), demoServer()],
  resolve: { conditions: [source, ...defaultClientConditions] },
  // Node itself does not know `module`, and some packages have files under it that only bundlers can read.
  ssr: { resolve: { conditions: [source, ...defaultServerConditions.filter((name) => name !== 'module')] } },
  server: { port, strictPort: true },
  preview: { port, strictPort: true },
})
