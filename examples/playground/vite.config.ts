import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

export default defineConfig({
  // Works below any path.
  base: './',
  plugins: [react()],
  resolve: { conditions: ['@stagepass/source', ...defaultClientConditions] },
  server: { port: 5174, strictPort: true },
})
