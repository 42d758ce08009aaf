import { beforeEach, inject } from 'vitest'
import { type Engine, type EngineMeta, IMPOSSIBLE_CASES } from './impossibleCases.js'

/* Set-up of every file of tests in a browser. */

declare module 'vitest' {
  export interface ProvidedContext {
    /** The engine in which the tests of a project run. */
    engine: Engine
  }
  export interface TaskMeta {
    engine?: EngineMeta
  }
}

// WebKitGTK lacks it.
if (Symbol.asyncDispose === undefined) {
  Object.defineProperty(Symbol, 'asyncDispose', { value: Symbol('Symbol.asyncDispose') })
}

beforeEach(({ task }) => {
  const engine = inject('engine')
  const impossible = IMPOSSIBLE_CASES.find(
    (one) =>
      one.engine === engine && task.file.filepath.endsWith(`/${one.file}`) && task.fullTestName === one.test,
  )
  task.meta.engine = { engine, impossible: impossible?.reason }
  // As `it.fails`: vitest looks at it when the test has ended.
  if (impossible) Object.assign(task, { fails: true })
})
