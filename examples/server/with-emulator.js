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
  // This machine alone.
  HOST: '127.0.0.1',
  PUBLIC_ORIGIN: `http://localhost:${process.env.PORT ?? 3000}`,
  ...process.env,
}

/** Ends with a sentence if the port is taken. The command says it too, in the midst of a stack. */
const probe = (host) =>
  new Promise((resolve) => {
    const server = createServer().once('error', ({ code }) => {
      if (host === '::1' && code !== 'EADDRINUSE') return resolve() // a machine without IPv6
      console.error(
        `Failed to listen on port ${env.PORT} (${code}). Set PORT to another one, here or in .env.`,
      )
      process.exit(1)
    })
    server.listen(Number(env.PORT), host, () => server.close(resolve))
  })
await probe(env.HOST)
// A browser tries it first for http://localhost, so another server there would get the page's requests.
await probe('::1')

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

// `{PORT}` stands for the variable, because not every shell replaces `$PORT` in the scripts of package.json.
const [command = '', ...args] = process.argv
  .slice(2)
  .map((arg) => arg.replace(/\{(\w+)\}/, (text, name) => env[name] ?? text))
const child = spawn(command, args, { env, stdio: 'inherit', shell: process.platform === 'win32' })
child.on('exit', (code) => process.exit(code ?? 1))
// A terminal sends Ctrl+C to the command too.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill('SIGTERM'))
