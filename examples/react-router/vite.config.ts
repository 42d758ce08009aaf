import { reactRouter } from '@react-router/dev/vite'
import { defineConfig } from 'vite'
import { watchRemoteAddresses } from '../login/remoteAddress'

// For the login of development.
watchRemoteAddresses()

export default defineConfig({
  // Tests are of components, without a server.
  plugins: process.env.VITEST ? [] : [reactRouter()],
  // There is no index.html that leads to the packages. Without this Vite would find them at the first visit,
  // and reload the page in the middle of it.
  optimizeDeps: { entries: ['app/**/*.{ts,tsx}'] },
  server: {
    host: process.env.HOST ?? '127.0.0.1',
    port: Number(process.env.PORT ?? 3000),
    strictPort: true,
  },
})
