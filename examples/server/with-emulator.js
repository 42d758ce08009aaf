import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'

/*
 * For development: runs a command with the variables that the application needs, those of .env too. Without
 * VOICE_API_KEY an emulator takes the place of the voice service, as long as the command runs.
 */
if (existsSync('.env')) process.loadEnvFile()
const env = {
  // Without it, some servers take another port if this one is taken.
  PORT: '3000',
  PUBLIC_ORIGIN: `http://localhost:${process.env.PORT ?? 3000}`,
  ...process.env,
}

// The command says it too, in the midst of a stack.
const probe = createServer().once('error', ({ code }) => {
  console.error(`Failed to listen on port ${env.PORT} (${code}). Set PORT to another one, here or in .env.`)
  process.exit(1)
})
await new Promise((resolve) => probe.listen(Number(env.PORT), 'localhost', () => probe.close(resolve)))

if (!env.VOICE_API_KEY) {
  const { createEmulator } = await import('@stagepass/emulator')
  const emulator = await createEmulator({ port: 0 })
  env.VOICE_API_KEY = emulator.apiKey
  env.VOICE_BASE_URL = emulator.baseUrl
  env.VOICE_STREAMING_URL = emulator.streamingUrl
  env.VOICE_MEETINGS_URL = emulator.meetingsUrl
  env.VOICE_MEETINGS_TOKEN = emulator.meetingsCredential
  console.log('VOICE_API_KEY is not set: an emulator takes the place of the voice service.')
}

const [command = '', ...args] = process.argv.slice(2)
const child = spawn(command, args, { env, stdio: 'inherit', shell: process.platform === 'win32' })
child.on('exit', (code) => process.exit(code ?? 1))
// A terminal sends Ctrl+C to the command too.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill('SIGTERM'))
