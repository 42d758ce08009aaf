import { join } from 'node:path'
import { browse } from '../browse.js'
import type { Case } from '../Case.js'
import { makeApp } from '../makeApp.js'
import { OTHER_VERSIONS, VERSIONS, versionsOf } from '../versions.js'
import { findInBuild, PAGE, withServer, WORKING_PAGE, ZOD } from './vite.js'

const FILES = {
  'next.config.mjs': `export default {
  rewrites: () => [{ source: '/api/voice/:path*', destination: process.env.VOICE_SERVER + '/api/voice/:path*' }],
}
`,
  'app/layout.tsx': `import type { ReactNode } from 'react'
export const metadata = { title: 'Voice', icons: 'data:,' }
export default function Layout({ children }: { children: ReactNode }) {
  return <html><body>{children}</body></html>
}
`,
  'app/page.tsx': `import { VoiceError } from '@stagepass/react'
import { Voice } from '../src/Voice'
import { Instances } from '../src/Instances'
export default function Page() {
  return <><Voice /><Instances /><p>{typeof VoiceError}</p></>
}
`,
  'src/legacy.js': `module.exports = require('@stagepass/react')\n`,
  'src/Instances.tsx': `'use client'
import { VoiceError } from '@stagepass/react'
import * as legacy from './legacy'
export function Instances() {
  return <p>{(legacy.VoiceError as unknown) === VoiceError ? 'one instance' : 'two instances'}</p>
}
`,
  'tsconfig.json': {
    compilerOptions: {
      allowJs: true,
      jsx: 'preserve',
      lib: ['ES2023', 'DOM', 'DOM.Iterable'],
      module: 'ESNext',
      moduleResolution: 'bundler',
      noEmit: true,
      strict: true,
      skipLibCheck: true,
    },
    include: ['app', 'src/*.tsx'],
    exclude: ['node_modules', 'src/main.tsx', 'src/server.tsx'],
  },
}

const nextCase = (bundler: 'webpack' | 'turbopack'): Case => ({
  name: `Next.js ${VERSIONS.next}, ${bundler === 'webpack' ? 'webpack' : 'Turbopack'}`,
  table: 'builds',
  async run(context) {
    const app = await makeApp(context, {
      dependencies: {
        ...PAGE,
        ...versionsOf('next', '@types/node', '@types/react', '@types/react-dom'),
        typescript: OTHER_VERSIONS.typescript[1],
      },
      manifest: {},
      copy: ['page'],
      files: FILES,
    })
    await withServer(app, [], async (url) => {
      const env = { VOICE_SERVER: url }
      await app.runTool('next', ['build', `--${bundler}`], { env, limitSeconds: 600 })
      const found = findInBuild(join(app.folder, '.next/static'), ZOD)
      if (found.length > 0) throw new Error(`The schema library is in ${found.join(', ')}`)
      for (const mode of [['start'], ['dev', `--${bundler}`]]) {
        const next = app.start('npx', ['next', ...mode, '--port', '0', '--hostname', '127.0.0.1'], { env })
        try {
          await next.printed(/http:\S+\d/)
          const address = /http:\S+\d/.exec(next.output())?.[0] ?? ''
          await browse(address, WORKING_PAGE, { visits: 2, limitSeconds: 180 })
          await browse(address, 'one instance', { limitSeconds: 180 })
        } finally {
          await next.stop()
        }
      }
    })
    return 'page and server, built and dev; one instance'
  },
})

export const next: readonly Case[] = [nextCase('webpack'), nextCase('turbopack')]
