/**
 * Bundlers replace `process.env.NODE_ENV`, as for React and TanStack Query. These are the only types of Node
 * here, so another variable does not compile. They merge with those of `@types/node`.
 */
declare namespace NodeJS {
  interface ProcessEnv {
    NODE_ENV?: string
  }
  interface Process {
    env: ProcessEnv
  }
}
declare var process: NodeJS.Process
