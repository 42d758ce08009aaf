import { beforeEach, inject } from 'vitest'
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

// WebKitGTK does not have it.
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
  // Like `it.fails`: vitest reads it when the test has ended.
  if (impossible) Object.assign(task, { fails: true })
})
