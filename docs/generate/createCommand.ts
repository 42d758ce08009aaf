import { readFileSync } from 'node:fs'
import { IS_PUBLISHED } from '../../scripts/packages.js'

/*
 * How to get the packages, on the pages that a stranger reads first. Before the first release npm does not
 * have them, and the pages say so.
 */

const CLONE = 'npm run create -- ../my-app'
const NPM = 'npm create stagepass@latest'

const HOSTS = 'It runs on Express, Next.js, React Router, Hono or Workers.'

/** Before the commands of a page that installs the packages. */
const PACK =
  'Before the first release npm does not have the `@stagepass` packages: run `npx tsx scripts/pack.ts` in a clone of the repository beside your folder, and install `../stagepass/dist/release/*.tgz` instead of them.'

const DOCS = '../../docs/'
const CREATE_PAGE = '../../packages/create-stagepass/README.md'

const linked = (command: string): string => `[\`${command}\`](${CREATE_PAGE})`

/** The step that installs the packages, in the folder `where`. */
const install = (where: string) => ({
  before: `## 1. Install\n\n${PACK}\n\n${where}:`,
  after: `## 1. Install\n\n${where}:`,
})

/** The same after the command that creates an application. */
const createOrInstall = (where: string) => {
  const { before, after } = install(where)
  return {
    before: `With a login too: ${linked(CLONE)} in a clone.\n\n${before}`,
    after: `With a login too: ${linked(NPM)}.\n\n${after}`,
  }
}

const CLONE_INSTALL = 'existing-app.md#1-install'

/** A line after the command that needs the packages. `docs` is the path of docs/ from the page. */
const notYet = (command: string, docs: string) => ({
  before: `${command}\n\nBefore the first release [install from a clone](${docs}${CLONE_INSTALL}).`,
  after: command,
})

const block = (...lines: readonly string[]): string => ['```sh', ...lines, '```'].join('\n')

const SHADCN = block('npx shadcn@latest add https://<your docs site>/r/0.1.0/captions.json')

/** The text of each page before and after the first release. */
export const CREATE_COMMAND = {
  'README.md': {
    before: [
      block(
        `${CLONE}    # in the clone: asks for a template, and says how to start`,
        `${NPM}    # without a clone, from the first release on`,
      ),
      `${HOSTS} Or write one in an empty folder. Before the first release npm does not have the three \`@stagepass\` packages: run \`npx tsx scripts/pack.ts\` in the clone, and install \`../stagepass/dist/release/*.tgz\` instead of them.`,
    ].join('\n\n'),
    after: [
      block(
        `${NPM}    # asks for a folder and a template`,
        `${CLONE}    # the same in a clone, with its packages`,
      ),
      `${HOSTS} Or write one in an empty folder:`,
    ].join('\n\n'),
  },
  'docs/index.md': {
    before: `${block(CLONE)}\n\nIn a clone of the repository. From the first release on, \`${NPM}\` needs no clone.`,
    after: block(NPM),
  },
  'docs/start/express.md': createOrInstall('In an empty folder'),
  'docs/start/next.md': createOrInstall('In an empty folder'),
  'docs/start/any-backend.md': install('In an empty folder'),
  'docs/start/native.md': install(
    'In an Expo application of SDK 58, such as one of `npx create-expo-app@latest my-app --template blank-typescript@sdk-58`',
  ),
  'docs/existing-app.md': install('In your application'),
  'docs/test-your-app.md': notYet(block('npm install --save-dev @stagepass/bff @stagepass/emulator'), ''),
  'docs/hosts.md': notYet('Then read [what to set before production](#before-production).', ''),
  'packages/audio/README.md': notYet(block('npm install @stagepass/audio'), DOCS),
  'packages/bff/README.md': notYet(block('npm install @stagepass/bff'), DOCS),
  'packages/budget/README.md': notYet(block('npm install @stagepass/budget'), DOCS),
  'packages/contract/README.md': notYet(block('npm install @stagepass/contract'), DOCS),
  'packages/create-stagepass/README.md': {
    before: `${block(NPM)}\n\nBefore the first release: \`${CLONE}\` in a clone.`,
    after: block(NPM),
  },
  'packages/doctor/README.md': notYet(block('npx @stagepass/doctor'), DOCS),
  'packages/emulator/README.md': notYet(block('npm install --save-dev @stagepass/emulator'), DOCS),
  'packages/react/README.md': notYet(block('npm install @stagepass/react @tanstack/react-query'), DOCS),
  'packages/server/README.md': notYet(block('npx @stagepass/server --port 8080'), DOCS),
  'registry/README.md': {
    before: `${SHADCN}\n\nBefore the first release the command fails, because npm does not have \`@stagepass/react\`: copy the files, and [install from a clone](../docs/${CLONE_INSTALL}).`,
    after: SHADCN,
  },
} as const

/** The page with the command of the present state, in place of that of the other state. */
export function withCreateCommand(page: keyof typeof CREATE_COMMAND, isPublished = IS_PUBLISHED): string {
  const { before, after } = CREATE_COMMAND[page]
  const own = isPublished ? after : before
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')
  // The text before the first release can begin with the other.
  const found = [before, after].find((one) => text.split(one).length === 2)
  if (found === undefined) throw new Error(`Failed to write ${page}: it needs these lines once:\n\n${own}`)
  return text.replace(found, () => own)
}
