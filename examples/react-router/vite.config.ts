import { reactRouter } from '@react-router/dev/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [reactRouter()],
  // There is no index.html that leads to the packages. Without this Vite would find them at the first visit,
  // and reload the page in the middle of it.
  optimizeDeps: { entries: ['app/**/*.{ts,tsx}'] },
  server: { port: Number(process.env.PORT ?? 3000), strictPort: true },
})
