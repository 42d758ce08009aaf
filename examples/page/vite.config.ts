import { resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [react()],
  // In the folder of the application, where its server looks for it.
  build: { outDir: resolve('dist'), emptyOutDir: true },
})
