import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'

/*
 * For development: runs a command with the variables that the application needs, those of .env too. Without
 * VOICE_API_KEY an emulator takes the place of the voice service, as long as the command runs. After the
 * command come `--` and the options of `npm run dev -- --port 5199 --host --open`.
 */
if (existsSync('.env')) process.loadEnvFile()
const [command = '', ...args] = process.argv.slice(2)
const options = readOptions(args.includes('--') ? args.splice(args.indexOf('--')) : [])
const HOST = options.host ?? (process.env.HOST || '127.0.0.1')
const PORT = String(await findPort(Number(options.port ?? (process.env.PORT || 3000))))
const env = { PUBLIC_ORIGIN: `http://localhost:${PORT}`, ...process.env, PORT, HOST }

/** `--port 5199`, `--host` for all interfaces or `--host` with an address, and `--open`. */
function readOptions(words) {
  const text = words.filter((word) => word !== '--').join(' ')
  const option = /--(?:port[= ](\d+)|host(?:[= ]([\w.:]+))?|(open))(?= |$)/g
  const unknown = text.replace(option, '').trim()
  if (unknown) fail(`Failed to read the option ${unknown}. The options are --port 5199, --host and --open.`)
  const found = {}
  for (const [, port, host, open] of text.matchAll(option)) {
    if (port) found.port = port
    else if (open) found.open = true
    else found.host = host ?? '0.0.0.0'
  }
  return found
}

/** The first port from this one on which nothing listens. */
async function findPort(port) {
  const code = await listen(port, HOST)
  // A browser tries ::1 first for http://localhost, so another server there would get the page's requests.
  const isTaken = code === 'EADDRINUSE' || (await listen(port, '::1')) === 'EADDRINUSE'
  if (!isTaken && code === undefined) return port
  if (!isTaken)
    fail(`Failed to listen on port ${port} of ${HOST} (${code}). Set PORT or HOST to another one.`)
  if (process.env.PUBLIC_ORIGIN)
    fail(
      `Failed to listen on port ${port} of ${process.env.PUBLIC_ORIGIN}: it is in use. Set PORT to another one.`,
    )
  console.log(`Port ${port} is in use. Trying the next one …`)
  return findPort(port + 1)
}

/** Listens for a moment. Resolves with the code of the error, if there was one. */
function listen(port, host) {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(port, host, () => server.close(resolve))
  }).catch(({ code }) => code)
}

function fail(message) {
  console.error(message)
  process.exit(1)
}

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
const withValues = args.map((arg) => arg.replace(/\{(\w+)\}/, (text, name) => env[name] ?? text))
const isWindows = process.platform === 'win32'
const child = spawn(command, withValues, { env, stdio: 'inherit', shell: isWindows })
child.on('exit', (code) => process.exit(code ?? 1))
// A terminal sends Ctrl+C to the command too.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill('SIGTERM'))

if (options.open) {
  const url = env.PUBLIC_ORIGIN
  while (!(await fetch(url).catch(() => undefined))) await new Promise((resolve) => setTimeout(resolve, 200))
  const opener = { darwin: 'open', win32: 'explorer' }[process.platform] ?? 'xdg-open'
  spawn(env.BROWSER || opener, [url], { stdio: 'ignore', detached: true })
    .on('error', ({ code }) => console.log(`Failed to open a browser (${code}). Open ${url}.`))
    .unref()
}
