import react from '@vitejs/plugin-react'
import { defaultClientConditions, defaultServerConditions, defineConfig } from 'vite'
import { demoServer } from './server/demoServer.js'

// Packages are used from their sources: an edit needs no build.
const source = '@stagepass/source'
// `npm run dev -- --port 5199` and `--host` come before them. If the port is in use, Vite takes the next one.
const { PORT = '5173', HOST: host = '127.0.0.1' } = process.env
const port = Number(PORT)

export default defineConfig({
  plugins: [react(), demoServer()],
  resolve: { conditions: [source, ...defaultClientConditions] },
  // Node itself does not know `module`, and some packages have files under it that only bundlers can read.
  ssr: { resolve: { conditions: [source, ...defaultServerConditions.filter((name) => name !== 'module')] } },
  server: { host, port },
  preview: { host, port },
})
