/**
 * Versions that the cases install. Raise a version here, run `npm run check:all`, and commit the tables that
 * it writes.
 */
export const VERSIONS = {
  '@babel/preset-env': '7.29.14',
  '@rspack/cli': '2.2.8',
  '@rspack/core': '2.3.2',
  '@tanstack/react-query': '5.108.0',
  '@testing-library/dom': '10.4.2',
  '@testing-library/react': '16.3.3',
  '@types/express': '5.0.6',
  '@types/node': '24.13.2',
  '@types/react': '19.3.0',
  '@types/react-dom': '19.3.0',
  '@yarnpkg/cli-dist': '4.18.1',
  bun: '1.4.5',
  express: '5.3.0',
  jest: '30.5.2',
  'jest-environment-jsdom': '30.5.2',
  jsdom: '27.4.0',
  next: '16.4.6',
  parcel: '2.16.4',
  pnpm: '12.21.0',
  react: '19.3.1',
  'react-dom': '19.3.1',
  'ts-jest': '29.4.15',
  tsx: '4.23.15',
  typescript: '7.0.2',
  vite: '8.3.8',
  vitest: '4.1.12',
} as const satisfies Readonly<Record<string, string>>

/** Other versions of the same packages, for the cases of one row each. */
export const OTHER_VERSIONS = {
  /** The lowest version of each supported line, and newer lines. */
  node: ['20.19.0', '22.12.0', '24.21.0', '26.10.0'],
  typescript: ['5.4.3', '5.9.3', '6.0.3'],
  vite: ['5.4.9', '6.4.6', '7.3.8'],
  reactQuery: ['5.62.0', '5.90.5'],
} as const

export type PackageName = keyof typeof VERSIONS

/** Dependencies for package.json, at the versions above. */
export function versionsOf(...names: readonly PackageName[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, VERSIONS[name]]))
}
