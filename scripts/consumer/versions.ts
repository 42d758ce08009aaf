/** What the cases install. Raise a version here, run `npm run check:all`, and commit the table that it writes. */
export const VERSIONS = {
  '@oven/bun-linux-x64': '1.4.5',
  '@tanstack/react-query': '5.108.0',
  '@types/express': '5.0.6',
  '@types/node': '24.13.2',
  '@types/react': '19.3.0',
  '@types/react-dom': '19.3.0',
  '@yarnpkg/cli-dist': '4.18.1',
  express: '5.3.0',
  pnpm: '12.21.0',
  react: '19.3.1',
  'react-dom': '19.3.1',
  typescript: '7.0.2',
  vite: '8.3.8',
} as const satisfies Readonly<Record<string, string>>

export type PackageName = keyof typeof VERSIONS

/** Dependencies for package.json, at the versions above. */
export function versionsOf(...names: readonly PackageName[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, VERSIONS[name]]))
}
