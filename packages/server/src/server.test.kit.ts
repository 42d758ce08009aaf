import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { createEmulator, type Emulator } from '@stagepass/emulator'
import { bundleProgram } from '@stagepass/testing/bundleProgram'

let bundled: Promise<string> | undefined

/** The program, bundled once for a test file. */
export const bundleServer = (): Promise<string> =>
  (bundled ??= bundleProgram(new URL('./cli/main.ts', import.meta.url), `server-${process.pid}`))

/** The program as a process, without our environment variables. */
export async function runProgram(argv: readonly string[], env: Readonly<Record<string, string | undefined>>) {
  const child = spawn(process.execPath, [await bundleServer(), ...argv], {
    env: { PATH: process.env.PATH, ...env },
    cwd: resolve('.cache'),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  const waiting: (() => void)[] = []
  child.stdout.on('data', (chunk: Buffer) => {
    output.stdout += chunk.toString()
    for (const look of waiting) look()
  })
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()))
  const exited = once(child, 'close').then(([code]) => code as number | null)
  const lines = (): Record<string, unknown>[] =>
    output.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  /** Waits for a line of this type. Rejects if the process ends before. */
  const lineOf = async (type: string, count = 1): Promise<Record<string, unknown>> => {
    const found = new Promise<Record<string, unknown>>((done) => {
      const look = (): void => {
        const line = lines().filter((one) => one.type === type)[count - 1]
        if (line) done(line)
      }
      waiting.push(look)
      look()
    })
    const ended = exited.then((code) => {
      throw new Error(`The program ended with ${code}.\n${output.stdout}${output.stderr}`)
    })
    return Promise.race([found, ended])
  }
  return {
    child,
    output,
    exited,
    lines,
    lineOf,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** A server of the team. The cookie `user` names the user. It counts its requests. */
export async function startTeam(
  listener: RequestListener = (req, res) => {
    const user = /user=(\w+)/.exec(req.headers.cookie ?? '')?.[1]
    if (user === undefined) res.writeHead(401).end()
    else res.end(JSON.stringify({ user, meetings: { ownership: 'mine' } }))
  },
) {
  const requests: IncomingMessage[] = []
  const server = createServer((req, res) => {
    requests.push(req)
    listener(req, res)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/grant`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const ORIGIN = 'https://app.example'

export const settingsOf = (upstream: Emulator, authorizeUrl: string) => ({
  VOICE_API_KEY: upstream.apiKey,
  VOICE_BASE_URL: upstream.baseUrl,
  VOICE_STREAMING_URL: upstream.streamingUrl,
  VOICE_MEETINGS_URL: upstream.meetingsUrl,
  VOICE_MEETINGS_TOKEN: upstream.meetingsCredential,
  STAGEPASS_ORIGIN: ORIGIN,
  STAGEPASS_AUTHORIZE_URL: authorizeUrl,
  STAGEPASS_PORT: '0',
})

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

export async function ask(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<Answer> {
  const sent = request(url, {
    agent: false,
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-stagepass': '1', 'content-type': 'application/json', origin: ORIGIN, ...headers },
  })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const text = Buffer.concat(await response.toArray()).toString()
  return { status: response.statusCode ?? 0, headers: response.headers, text }
}

export const mint = (url: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  ask(`${url}/session-token`, headers, '{"usage_type":"stt"}')

/** The program with an emulator and a server of a team. */
export async function startBeside(more: Readonly<Record<string, string | undefined>> = {}) {
  const upstream = await createEmulator()
  const team = await startTeam()
  const program = await runProgram([], { ...settingsOf(upstream, team.url), ...more })
  const { url } = (await program.lineOf('server.started')) as { url: string }
  return {
    upstream,
    team,
    program,
    url,
    root: new URL(url).origin,
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]()
      await team[Symbol.asyncDispose]()
      await upstream.close()
    },
  }
}
