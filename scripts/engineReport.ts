import {
  type Engine,
  type EngineMeta,
  IMPOSSIBLE_CASES,
  type ImpossibleCase,
} from '../packages/testing/src/engines/impossibleCases.js'

/* Reads the engines' results from the report of a test run, and writes text for docs/browsers.md. */

export const TITLES: Readonly<Record<Engine, string>> = {
  chromium: 'Chromium',
  firefox: 'Firefox ESR',
  webkit: 'WebKitGTK',
}

/** The parts of vitest's JSON report that are used. */
export interface TestReport {
  readonly numPassedTests: number
  readonly numTotalTests: number
  readonly numPendingTests: number
  readonly numFailedTestSuites: number
  readonly testResults: readonly {
    /** Full path of the file. */
    readonly name: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly meta: { readonly engine?: EngineMeta }
    }[]
  }[]
}

/** Cases that an engine cannot do, and that failed as expected. Vitest counts them as passed. */
export const countImpossible = ({ testResults }: TestReport): number =>
  testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status, meta }) => status === 'passed' && meta.engine?.impossible !== undefined).length

/** One engine's result of one file. */
export interface SuiteResult {
  passed: number
  impossible: number
  failed: number
}

/** Results by file, from the root of the repository, and by engine. */
export function suiteResults(
  { testResults }: TestReport,
  root: string,
): Map<string, Partial<Record<Engine, SuiteResult>>> {
  const suites = new Map<string, Partial<Record<Engine, SuiteResult>>>()
  for (const { name, assertionResults } of testResults) {
    for (const { status, meta } of assertionResults) {
      if (!meta.engine) continue
      const { engine, impossible } = meta.engine
      const file = name.slice(root.length + 1)
      const suite = suites.get(file) ?? {}
      const result = (suite[engine] ??= { passed: 0, impossible: 0, failed: 0 })
      if (status !== 'passed') result.failed += 1
      else if (impossible === undefined) result.passed += 1
      else result.impossible += 1
      suites.set(file, suite)
    }
  }
  return suites
}

/** The section of docs/browsers.md that lists the cases that an engine cannot do. */
export function impossibleSection(): string {
  const row = ({ engine, file, test, reason }: ImpossibleCase): string =>
    `| ${TITLES[engine]} | \`${file.split('/').at(-1)}\` | ${test} | ${reason} |`
  return ['| engine | file | case | why |', '| --- | --- | --- | --- |', ...IMPOSSIBLE_CASES.map(row)].join(
    '\n',
  )
}
