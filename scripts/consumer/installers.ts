import type { Libraries } from '../pack.js'
import { VERSIONS, type PackageName } from './versions.js'

export type InstallerName = 'npm' | 'pnpm' | 'yarn' | 'bun'

interface Installer {
  /** Its fields of package.json. They also replace the tarballs' dependencies on each other with tarballs. */
  manifest(tarballs: Libraries): object
  files(tarballs: Libraries): Readonly<Record<string, string>>
  readonly install: readonly [command: string, ...args: string[]]
  /** The command before a program of a dependency. */
  readonly exec: readonly string[]
  /** The command that starts Node. */
  readonly node: readonly [string, ...string[]]
}

const inFiles = (tarballs: Libraries): Record<string, string> =>
  Object.fromEntries(Object.entries(tarballs).map(([name, path]) => [name, `file:${path}`]))

const npx = (name: PackageName): [string, ...string[]] => [
  'npx',
  '--yes',
  '--loglevel=error',
  `--package=${name}@${VERSIONS[name]}`,
  '--',
]

export const INSTALLERS: Readonly<Record<InstallerName, Installer>> = {
  npm: {
    manifest: (tarballs) => ({ overrides: inFiles(tarballs) }),
    files: () => ({}),
    install: ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    exec: ['npx', '--no-install'],
    node: ['node'],
  },
  // Strict: a package sees only its declared dependencies, and a missing peer is an error.
  pnpm: {
    manifest: () => ({}),
    files: (tarballs) => ({
      'pnpm-workspace.yaml': [
        'hoist: false',
        'strictPeerDependencies: true',
        'autoInstallPeers: false',
        'ignoreScripts: true',
        'overrides:',
        ...Object.entries(inFiles(tarballs)).map(([name, path]) => `  '${name}': '${path}'`),
        '',
      ].join('\n'),
    }),
    install: [...npx('pnpm'), 'pnpm', 'install', '--reporter=append-only'],
    exec: [...npx('pnpm'), 'pnpm', 'exec'],
    node: ['node'],
  },
  // Plug'n'Play: there is no node_modules, and a package sees only its declared dependencies.
  yarn: {
    manifest: (tarballs) => ({ resolutions: inFiles(tarballs) }),
    files: () => ({
      '.yarnrc.yml':
        'nodeLinker: pnp\nenableScripts: false\nenableTelemetry: false\nenableGlobalCache: true\n',
      'yarn.lock': '',
    }),
    install: [...npx('@yarnpkg/cli-dist'), 'yarn', 'install', '--no-immutable'],
    exec: [...npx('@yarnpkg/cli-dist'), 'yarn', 'run'],
    node: [...npx('@yarnpkg/cli-dist'), 'yarn', 'node'],
  },
  bun: {
    manifest: (tarballs) => ({ overrides: inFiles(tarballs) }),
    files: () => ({}),
    install: [...npx('bun'), 'bun', 'install', '--ignore-scripts'],
    exec: ['npx', '--no-install'],
    node: ['node'],
  },
}
