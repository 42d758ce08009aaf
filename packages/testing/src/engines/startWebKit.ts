import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Send } from '../pages/webKitPage.js'
import { freePort } from '../stack/freePorts.js'

/** A window of WebKitGTK's MiniBrowser, controlled by WebDriver. */
export interface WebKit extends AsyncDisposable {
  goto(url: string): Promise<void>
  send: Send
}

interface WebKitOptions {
  /** The screen and the sound server, as variables of the environment. */
  readonly env: NodeJS.ProcessEnv
}

const REMEDY = 'Install webkit2gtk-driver or set WEBKIT_DRIVER_PATH and WEBKIT_BROWSER_PATH.'

// Media without questions; sound and windows without a user gesture.
const BROWSER_ARGS = [
  '--automation',
  '--enable-media-stream=true',
  '--javascript-can-open-windows-automatically=true',
  '--enable-mock-capture-devices=false',
  '--autoplay-policy=allow',
  '--media-playback-requires-user-gesture=false',
]

/**
 * Starts WebKitGTK. `WEBKIT_DRIVER_PATH` and `WEBKIT_BROWSER_PATH` are the paths of its WebDriver and its
 * MiniBrowser.
 */
export async function startWebKit({ env }: WebKitOptions): Promise<WebKit> {
  const binary = process.env.WEBKIT_BROWSER_PATH
  if (!binary) throw new Error(`Failed to start WebKitGTK: there is no MiniBrowser. ${REMEDY}`)
  const port = await freePort()
  const program = process.env.WEBKIT_DRIVER_PATH ?? 'WebKitWebDriver'
  const driver = spawn(program, [`--port=${port}`], { env: { ...process.env, ...env }, stdio: 'ignore' })
  const kill = (): void => void driver.kill('SIGTERM')
  process.once('exit', kill)
  driver.once('exit', () => process.off('exit', kill))
  let failure: unknown
  driver.once('error', (cause) => (failure = cause))
  driver.once('exit', (code) => (failure ??= new Error(`${program} ended with ${code}.`)))

  async function send<TValue>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<TValue> {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    })
    const { value } = (await response.json()) as { value: TValue }
    if (response.ok) return value
    const { error, message } = value as { error: string; message: string }
    throw new Error(`WebKitGTK refused ${method} ${path}: ${error}. ${message}`)
  }

  // The driver does not report that it is ready, so poll its status.
  while (
    !(await send('GET', '/status').then(
      () => true,
      () => false,
    ))
  ) {
    if (failure) throw new Error(`Failed to start ${program}. ${REMEDY}`, { cause: failure })
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': { binary, args: BROWSER_ARGS } } }
  const { sessionId } = await send<{ sessionId: string }>('POST', '/session', { capabilities })
  const session = `/session/${sessionId}`
  await send('POST', `${session}/window/rect`, { x: 0, y: 0, width: 1280, height: 1024 })

  return {
    goto: (url) => send('POST', `${session}/url`, { url }),
    send: (method, path, body) => send(method, `${session}${path}`, body),
    async [Symbol.asyncDispose]() {
      await send('DELETE', session).catch(() => undefined)
      if (driver.exitCode !== null || driver.signalCode !== null) return
      const gone = once(driver, 'exit')
      driver.kill('SIGTERM')
      await gone
    },
  }
}
