import { configure } from '@testing-library/react'
import { beforeEach, inject, type RunnerTestSuite } from 'vitest'
import { type Engine, type EngineMeta, IMPOSSIBLE_CASES } from './impossibleCases.js'

/* Set-up of every test file in a browser. */

declare module 'vitest' {
  export interface ProvidedContext {
    /** The engine in which the tests of a project run. */
    engine: Engine
  }
  export interface TaskMeta {
    engine?: EngineMeta
  }
}

// As in a simulated page (setupDocument.ts). The default is one second.
configure({ asyncUtilTimeout: 60_000 })

// WebKitGTK has neither.
for (const name of ['dispose', 'asyncDispose']) {
  if (!(name in Symbol)) Object.defineProperty(Symbol, name, { value: Symbol(`Symbol.${name}`) })
}

const namesIn = ({ tasks }: RunnerTestSuite): string[] =>
  tasks.flatMap((task) => (task.type === 'suite' ? namesIn(task) : [task.fullTestName]))

beforeEach(({ task }) => {
  const engine = inject('engine')
  const rows = IMPOSSIBLE_CASES.filter(
    (one) => one.engine === engine && task.file.filepath.endsWith(`/${one.file}`),
  )
  const names = new Set(namesIn(task.file))
  const stale = rows.filter(({ test }) => !names.has(test))
  if (stale.length > 0)
    throw new Error(
      `Failed to find a test of impossibleCases.ts in this file: "${stale.map(({ test }) => test).join('", "')}". Correct the row or remove it.`,
    )
  const impossible = rows.find(({ test }) => test === task.fullTestName)
  task.meta.engine = { engine, impossible: impossible?.reason }
  // Like `it.fails`: vitest reads it when the test has ended.
  if (impossible) Object.assign(task, { fails: true })
})
