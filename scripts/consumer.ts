import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { say } from './run.js'

/*
 * Packs the four packages as they would be published, installs the tarballs into an application outside the workspace, and does there what
 * a user does first: type-check without skipping library types, import in plain Node, bundle for the browser, start the emulator's command.
 */

const PACKAGES = ['contract', 'emulator', 'bff', 'react']

const SERVER = `
import express from 'express'
import { createBff } from '@stagepass/bff'
import { createEmulator } from '@stagepass/emulator'
import { PRODUCTS } from '@stagepass/contract'
import { SessionTokenAnswer } from '@stagepass/contract/schemas'

const upstream = await createEmulator({ port: 0 })
const bff = createBff({
  apiKey: upstream.apiKey,
  baseUrl: upstream.baseUrl,
  streamingUrl: upstream.streamingUrl,
  authorize: () => ({ user: 'one' }),
})
const server = express().use('/api/voice', bff).listen(0)
const { port } = server.address() as { port: number }
const answer = await fetch(\`http://127.0.0.1:\${port}/api/voice/session-token\`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-stagepass': '1' },
  body: JSON.stringify({ usage_type: 'stt' }),
})
const token = SessionTokenAnswer.parse(await answer.json())
if (token.stream_url !== upstream.streamingUrl + PRODUCTS.stt.path) throw new Error('wrong stream_url: ' + token.stream_url)
await bff.close()
server.close()
await upstream.close()
console.log('server: a token for', token.usage_type)
`

const PAGE = `
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createVoiceClient, useMeetings, useSessionToken, useStream, VoiceProvider } from '@stagepass/react'
import * as audio from '@stagepass/react/audio'
import * as codecs from '@stagepass/react/codecs'
import * as devtools from '@stagepass/react/devtools'
import * as testing from '@stagepass/react/testing'
import { renderToString } from 'react-dom/server'

const voice = createVoiceClient({ url: 'https://app.example/api/voice' })

function Page() {
  const { status } = useSessionToken('stt')
  const stream = useStream('stt', { enabled: false })
  const { meetings } = useMeetings({ ownership: 'mine', fields: ['title'] })
  const titles: (string | null)[] = meetings.map((meeting) => meeting.title)
  return <p>{status} {stream.status} {titles.length}</p>
}

const html = renderToString(
  <QueryClientProvider client={new QueryClient()}>
    <VoiceProvider client={voice}><Page /></VoiceProvider>
  </QueryClientProvider>,
)
if (!html.includes('pending')) throw new Error('unexpected page: ' + html)
for (const entry of [audio, codecs, devtools, testing]) if (Object.keys(entry).length === 0) throw new Error('an empty entry')
console.log('page:', html)
`

const root = resolve(import.meta.dirname, '..')
const app = mkdtempSync(join(tmpdir(), 'stagepass-consumer-'))
const inApp = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: app, stdio: 'inherit' })

try {
  say('Packing')
  for (const name of PACKAGES) {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', app], {
      cwd: join(root, 'packages', name),
      stdio: 'inherit',
    })
  }
  const tarballs = Object.fromEntries(
    PACKAGES.map((name) => [
      `@stagepass/${name}`,
      `file:${readdirSync(app).find((file) => file.startsWith(`stagepass-${name}-`))}`,
    ]),
  )
  writeFileSync(
    join(app, 'package.json'),
    JSON.stringify({
      private: true,
      type: 'module',
      dependencies: {
        ...tarballs,
        '@tanstack/react-query': '5.108.0',
        '@types/react': '19.3.0',
        '@types/react-dom': '19.3.0',
        express: '5.3.0',
        react: '19.3.1',
        'react-dom': '19.3.1',
        typescript: '7.0.2',
        vite: '8.3.8',
      },
      overrides: tarballs,
    }),
  )
  writeFileSync(
    join(app, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        target: 'ES2022',
        lib: ['ES2023', 'DOM', 'DOM.Iterable'],
        types: ['node'],
        module: 'NodeNext',
        jsx: 'react-jsx',
        strict: true,
        skipLibCheck: false,
        outDir: 'out',
        rootDir: '.',
      },
      include: ['*.ts', '*.tsx'],
    }),
  )
  writeFileSync(join(app, 'server.ts'), SERVER)
  writeFileSync(join(app, 'page.tsx'), PAGE)

  say('Installing the tarballs into an application of their own')
  inApp('npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error')
  say('Type-checking it with skipLibCheck off')
  inApp('npx', 'tsc')
  say('Running it in plain Node')
  inApp('node', 'out/server.js')
  inApp('node', 'out/page.js')
  say('Bundling its page')
  writeFileSync(join(app, 'index.html'), '<script type="module" src="/out/page.js"></script>')
  inApp('npx', 'vite', 'build', '--logLevel', 'warn')
  say('Asking the emulator for its help')
  inApp('npx', 'stagepass-emulator', '--help')
} finally {
  rmSync(app, { recursive: true, force: true })
}
