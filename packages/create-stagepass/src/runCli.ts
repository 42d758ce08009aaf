import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createApp } from './createApp.js'
import { openTerminal } from './openTerminal.js'
import { type Folder, readFolder } from './readFolder.js'
import { listTemplates, readTemplate, type Template, TEMPLATES } from './templates.js'
import { UsageError } from './UsageError.js'

const FOLDER = 'my-app'
const TEMPLATE = 'express'

/** How the program was started. */
interface Start {
  /** The command with these arguments, for messages. */
  readonly command: (folder: string, options: string) => string
  /** Returns the folder of a template. */
  readonly findTemplate: (template: Template) => Promise<string>
}

const PUBLISHED: Start = {
  command: (folder, options) => `npm create stagepass@latest ${folder} -- ${options}`,
  findTemplate: async (template) => join(import.meta.dirname, 'templates', template),
}

const help = ({ command }: Start): string => `Usage: ${command('[folder]', '[options]')}

Creates an application: a server that keeps the API key of the voice service, a login, and a page.
Asks for the folder and the template if they are not given.

Templates:
${listTemplates()}

Options:
  --template <name>   one of the templates
  --yes               do not ask. The defaults are the folder ${FOLDER} and the template ${TEMPLATE}
  --version           print the version
  --help              print this help

Exit code: 0 created, 1 failed, 2 wrong use, 130 stopped.`

/** By convention, 128 plus the number of SIGINT. */
const STOPPED = 130

/** The command line. Resolves with the exit code. */
export async function runCli(start = PUBLISHED): Promise<number> {
  try {
    const { values, folder: given } = readOptions(start)
    if (values.help || values.version) {
      print(values.help ? help(start) : version())
      return 0
    }
    const { folder, template } = await readAnswers(start, given, values.template, values.yes)
    const source = await start.findTemplate(template)
    // Writing is synchronous, so with these handlers a signal cannot interrupt it between two files.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => {})
    const manager = packageManager()
    createApp(source, folder, manager)
    print(nextSteps(folder, template, manager))
    return 0
  } catch (error) {
    const { name, message } = error as Error
    if (name === 'AbortError') {
      printError('\nStopped. Nothing was created.')
      return STOPPED
    }
    if (error instanceof UsageError) {
      printError(message)
      return 2
    }
    printError(`Failed to create the application: ${message}. All of its files were removed.`)
    return 1
  }
}

const print = (text: string): boolean => process.stdout.write(`${text}\n`)
const printError = (text: string): boolean => process.stderr.write(`${text}\n`)

function version(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}

/** Throws `UsageError`. */
function readOptions(start: Start) {
  const { values, positionals } = parseOptions(start)
  const [folder, second] = positionals
  // Without "--", npm reads "--template" as its own option and passes on only the value.
  if (second !== undefined && Object.hasOwn(TEMPLATES, second))
    throw new UsageError(
      'Failed to read the options: npm read "--template" as its own option, because there is no "--" before it. Type:\n\n' +
        `  ${start.command(`${folder}`, `--template ${second}`)}`,
    )
  if (second !== undefined)
    throw new UsageError(
      `Failed to read the options: give only one folder, not ${positionals.join(' and ')}.\n\n${help(start)}`,
    )
  return { values, folder }
}

/** Throws `UsageError`. */
function parseOptions(start: Start) {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        template: { type: 'string', short: 't' },
        yes: { type: 'boolean', short: 'y' },
        version: { type: 'boolean', short: 'v' },
        help: { type: 'boolean', short: 'h' },
      },
    })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}.\n\n${help(start)}`)
  }
}

interface Answers {
  readonly folder: Folder
  readonly template: Template
}

/** Uses the given values, and asks for the others. Throws `UsageError`. */
async function readAnswers(
  { command }: Start,
  givenFolder?: string,
  givenTemplate?: string,
  usual = false,
): Promise<Answers> {
  let folder = givenFolder === undefined ? undefined : readFolder(givenFolder)
  let template = givenTemplate === undefined ? undefined : readTemplate(givenTemplate)
  if (usual) {
    folder ??= readFolder(FOLDER)
    template ??= TEMPLATE
  }
  if (folder && template) return { folder, template }

  if (!process.stdin.isTTY)
    throw new UsageError(
      'Failed to ask: there is no terminal. Give the folder and the template, or --yes. With npm, write options ' +
        `after "--": ${command(FOLDER, `--template ${TEMPLATE}`)}`,
    )
  const terminal = openTerminal()
  try {
    folder ??= await terminal.ask('Folder?', FOLDER, readFolder)
    if (!template) {
      print(listTemplates())
      template = await terminal.ask('Template? Type its number or name', TEMPLATE, readTemplate)
    }
    return { folder, template }
  } finally {
    terminal.close()
  }
}

/** The package manager that started this program. npm, pnpm, Yarn and Bun set their name in a variable. */
function packageManager(): string {
  return /^(?:npm|pnpm|yarn|bun)(?=\/)/.exec(process.env.npm_config_user_agent ?? '')?.[0] ?? 'npm'
}

function nextSteps({ text, path }: Folder, template: Template, manager: string): string {
  const isHere = path === process.cwd()
  return [
    `\nCreated ${isHere ? 'an application here' : text} (${TEMPLATES[template].title}). Next:\n`,
    ...(isHere ? [] : [`  cd ${/\s/.test(text) ? JSON.stringify(text) : text}`]),
    `  ${manager} install`,
    `  ${manager} run dev`,
    '\nThe page is at http://localhost:3000. Sign in with one click, until you replace this login with your own. You need no key:',
    'until you set VOICE_API_KEY (see .env.example), an emulator replaces the voice service.',
  ].join('\n')
}
