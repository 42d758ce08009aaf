import { randomUUID } from 'node:crypto'
import { playwright, PlaywrightBrowserProvider } from '@vitest/browser-playwright'
import type { BrowserModuleMocker, BrowserProvider, BrowserProviderOption } from 'vitest/node'
import { type InputStep, playwrightInput, webKitInput } from './input.js'
import { chromiumOptions, firefoxOptions } from './launchOptions.js'
import { pageProcesses } from './pageProcesses.js'
import { type Sound, startSound } from './startSound.js'
import { startWebKitWithDevices, type WebKitWithDevices } from './startWebKitWithDevices.js'

/*
 * The browsers in which vitest runs the tests. Each has a fake microphone, allowed without a question, and
 * can play sound without a user gesture.
 */

/** The actions that a command can do with its browser. */
export interface EngineControl {
  /** Processes that run pages. */
  pageProcesses(): number[]
  /** `undefined` if the engine's driver cannot do it. */
  readonly setOffline: ((isOffline: boolean) => Promise<void>) | undefined
  /** The sound server that the browser uses. `undefined` if the browser has its own fake devices. */
  readonly sound: Sound | undefined
  /** Simulates a mouse, a finger or the keyboard. */
  readonly input: (step: InputStep) => Promise<void>
}

type PlaywrightOptions = NonNullable<Parameters<typeof playwright>[0]>

class PlaywrightEngine extends PlaywrightBrowserProvider {
  protected sound: Sound | undefined
  readonly #pageProcesses: () => number[]

  constructor(
    project: ConstructorParameters<typeof PlaywrightBrowserProvider>[0],
    options: PlaywrightOptions,
    pages: () => number[],
  ) {
    super(project, options)
    this.#pageProcesses = pages
  }

  override getCommandsContext(sessionId: string) {
    const commands = super.getCommandsContext(sessionId)
    const engine: EngineControl = {
      pageProcesses: this.#pageProcesses,
      setOffline: (isOffline) => commands.context.setOffline(isOffline),
      sound: this.sound,
      input: (step) => playwrightInput(commands.page, step),
    }
    // Not a copy: some properties, such as `page`, are getters.
    return Object.assign(commands, { engine })
  }
}

/** A test of one Chromium must not stop the pages of another. So each has a mark on its command line. */
class ChromiumEngine extends PlaywrightEngine {
  constructor(project: ConstructorParameters<typeof PlaywrightBrowserProvider>[0]) {
    const mark = `--stagepass-browser=${randomUUID()}`
    const { args = [], ...launchOptions } = chromiumOptions()
    super(project, { launchOptions: { ...launchOptions, args: [...args, mark] } }, () =>
      pageProcesses(
        (commandLine) => commandLine.includes('--type=renderer'),
        (commandLine) => commandLine.includes(mark),
      ),
    )
  }
}

export function chromium(): BrowserProviderOption {
  return { ...playwright(), providerFactory: (project) => new ChromiumEngine(project) }
}

class FirefoxEngine extends PlaywrightEngine {
  readonly #launch: NonNullable<PlaywrightOptions['launchOptions']>

  constructor(project: ConstructorParameters<typeof PlaywrightBrowserProvider>[0]) {
    const launchOptions = firefoxOptions()
    super(project, { launchOptions }, () =>
      pageProcesses((commandLine) => /-contentproc .* tab *$/.test(commandLine)),
    )
    this.#launch = launchOptions
  }

  override async openPage(sessionId: string, url: string, options: { parallel: boolean }): Promise<void> {
    this.sound ??= await startSound()
    // Set before the launch, which reads it.
    this.#launch.env = { ...process.env, ...this.sound.env }
    await super.openPage(sessionId, url, options)
  }

  override async close(): Promise<void> {
    await super.close()
    await this.sound?.[Symbol.asyncDispose]()
  }
}

export function firefox(): BrowserProviderOption {
  return { ...playwright(), providerFactory: (project) => new FirefoxEngine(project) }
}

class WebKitEngine implements BrowserProvider {
  readonly name = 'webkitgtk'
  // The files of the project still run one after the other. Without this, they would also wait for the files
  // of the other engines.
  readonly supportsParallelism = true
  readonly initScripts = []
  readonly mocker: BrowserModuleMocker = {
    register: () =>
      Promise.reject(new Error('Failed to mock a module: WebDriver cannot intercept requests.')),
    delete: () => Promise.resolve(),
    clear: () => Promise.resolve(),
  }
  #started: WebKitWithDevices | undefined

  async openPage(_sessionId: string, url: string): Promise<void> {
    this.#started ??= await startWebKitWithDevices()
    await this.#started.goto(url)
  }

  getCommandsContext(): { engine: EngineControl } {
    return {
      engine: {
        pageProcesses: () => pageProcesses((commandLine) => commandLine.includes('WebKitWebProcess')),
        setOffline: undefined,
        sound: this.#started?.sound,
        input: async (step) => {
          if (this.#started) await webKitInput(this.#started.send, step)
        },
      },
    }
  }

  async close(): Promise<void> {
    await this.#started?.[Symbol.asyncDispose]()
  }
}

export function webKit(): BrowserProviderOption {
  return {
    ...playwright(),
    name: 'webkitgtk',
    supportedBrowser: ['webkit'],
    providerFactory: () => new WebKitEngine(),
  }
}
