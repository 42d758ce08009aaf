/** How to make a new application of a framework, and how to show the components in it. */
export interface FreshApp {
  readonly title: string
  /** The command that makes it in the folder `app`. Versions are raised by hand. */
  readonly create: string
  /** Folder of its sources. */
  readonly sources: string
  /** Its linter, with its rules, for the components. */
  readonly lint: readonly [program: string, ...args: string[]]
  /** A file of it with a text to replace, so that React Compiler leaves nothing out without an error. */
  readonly config: readonly [path: string, found: string, put: string]
  /** Texts of files, below `sources`. */
  readonly pages: (names: readonly string[]) => Readonly<Record<string, string>>
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
    pages: (names) => ({
      'index.css': '',
      'App.tsx': [
        "import { Providers } from './examples/Providers'",
        ...names.map((name, at) => `import { Page as Page${at} } from './examples/${name}'`),
        'export default function App() {',
        '  const name = location.search.slice(1)',
        '  return (',
        '    <Providers>',
        ...names.map((name, at) => `      {name === '${name}' && <Page${at} />}`),
        '    </Providers>',
        '  )',
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
    pages: (names) =>
      Object.fromEntries(
        names.map((name) => [
          `app/${name}/page.tsx`,
          `'use client'
import { Page } from '../../examples/${name}'
import { Providers } from '../../examples/Providers'
export default function Example() {
  return <Providers><Page /></Providers>
}`,
        ]),
      ),
    pathOf: (name) => `/${name}`,
  },
]

/** The providers that a component needs. */
export const PROVIDERS = `'use client'
import { createVoiceClient, VoiceProvider } from '@stagepass/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'

const queries = new QueryClient()
const voice = createVoiceClient({ url: '/api/voice' })

export function Providers({ children }: { children: ReactNode }) {
  return (
    <QueryClientProvider client={queries}>
      <VoiceProvider client={voice}>{children}</VoiceProvider>
    </QueryClientProvider>
  )
}
`
