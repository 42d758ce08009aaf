import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

export default defineConfig({
  // Works below any path.
  base: './',
  plugins: [react()],
  resolve: { conditions: ['@stagepass/source', ...defaultClientConditions] },
  server: { host: '127.0.0.1', port: Number(process.env.PORT ?? 5174), strictPort: true },
})
