/** A component in an application, with one of its stories, which shows how a page uses it. */
export interface Use {
  readonly name: string
  readonly story: string
}

/** How an application is made by the program of its framework, and how it is told to show components. */
export interface FreshApp {
  readonly title: string
  /** The command that makes it in the folder `app`. Versions are raised by hand. */
  readonly create: string
  /** Folder of its sources. */
  readonly sources: string
  /** Its linter, with its rules, for the components. */
  readonly lint: readonly [program: string, ...args: string[]]
  /** A file of its own, and what it is told beside: React Compiler leaves nothing out without an error. */
  readonly config: readonly [path: string, found: string, put: string]
  /** Texts of files, below `sources`. */
  readonly pages: (uses: readonly Use[]) => Readonly<Record<string, string>>
  /** Path of the page of a component. */
  readonly pathOf: (name: string) => string
}

const STRICT = "{ panicThreshold: 'all_errors' }"

export const FRESH_APPS: readonly FreshApp[] = [
  {
    title: 'Vite',
    create: 'npm create --yes vite@9.3.0 app -- --template react-compiler-ts --no-interactive',
    sources: 'src',
    lint: ['oxlint', '--deny-warnings', 'src/components'],
    config: ['vite.config.ts', 'reactCompilerPreset()', `reactCompilerPreset(${STRICT})`],
    pages: (uses) => ({
      'App.tsx': [
        "import type { Story } from './stories/Story'",
        "import { Use } from './stories/Use'",
        ...uses.map(
          ({ name, story }, at) => `import { ${story} as s${at} } from './stories/${name}.stories'`,
        ),
        `const stories = new Map<string, Story>([${uses.map(({ name }, at) => `['?${name}', s${at}]`).join(', ')}])`,
        'export default function App() {',
        '  return <Use story={stories.get(location.search)} />',
        '}',
      ].join('\n'),
    }),
    pathOf: (name) => `/?${name}`,
  },
  {
    title: 'Next.js',
    create:
      'npx --yes create-next-app@16.4.3 app --yes --ts --app --eslint --react-compiler --empty ' +
      '--no-tailwind --no-src-dir --use-npm --skip-install --disable-git',
    sources: '.',
    // With the recommended rules of eslint-plugin-react-hooks.
    lint: ['eslint', '--max-warnings', '0', 'components'],
    config: [
      'next.config.ts',
      'reactCompiler: true,',
      `reactCompiler: ${STRICT},
      rewrites: async () => [{ source: '/api/:path*', destination: process.env.VOICE_SERVER + '/api/:path*' }],`,
    ],
    pages: (uses) =>
      Object.fromEntries(
        uses.map(({ name, story }) => [
          `app/${name}/page.tsx`,
          `'use client'
import { Use } from '../../stories/Use'
import { ${story} } from '../../stories/${name}.stories'
export default function Page() {
  return <Use story={${story}} />
}`,
        ]),
      ),
    pathOf: (name) => `/${name}`,
  },
]

/** Shows what a story shows, with a server in place of the emulator in the page. */
export const USE = `'use client'
import { createVoiceClient, VoiceProvider } from '@stagepass/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { Story } from './Story'

const queries = new QueryClient()
const voice = createVoiceClient({ url: '/api/voice' })

export function Use({ story }: { story: Story | undefined }) {
  return (
    <QueryClientProvider client={queries}>
      <VoiceProvider client={voice}>{story && <story.Show />}</VoiceProvider>
    </QueryClientProvider>
  )
}
`
