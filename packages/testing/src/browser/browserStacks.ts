import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as emulator from '@stagepass/emulator'
import type { TestProject } from 'vitest/node'
import { type Stack, type StackOptions, startStack } from '../stack/startStack.js'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address at which a test in a browser starts its stacks: see `browserStack.ts`. */
    stacks: string
  }
}

interface Command {
  readonly start?: StackOptions
  readonly stack?: number
  /** Source text of a function with the parameters stack, emulator's faults and `input`. */
  readonly run?: string
  readonly input?: unknown
  readonly close?: boolean
}

/**
 * Starts stacks for tests in a browser, where no server can run. This is a global set-up of vitest: it
 * listens on loopback, and runs the code that the tests of this repository send.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stacks: Stack[] = []

  async function execute(
    { start, stack: index, run, input, close }: Command,
    origin: string,
  ): Promise<unknown> {
    if (start) {
      const stack = await startStack({ ...start, bff: { allowedOrigins: [origin] } })
      stacks.push(stack)
      return { stack: stacks.length - 1, url: stack.url }
    }
    const stack = stacks[index ?? -1]
    if (!stack) throw new Error(`There is no stack ${index}.`)
    if (close) return stack.close()
    // This is the tests' own code, from a page on this machine. A browser can send a function only as text.
    // oxlint-disable-next-line typescript/no-implied-eval -- the tests' own code, as text
    const act = new Function(`return (${run})`)() as (...given: unknown[]) => unknown
    return act(stack, emulator, input)
  }

  const server = createServer((request, response) => {
    const origin = request.headers.origin ?? ''
    response.setHeader('access-control-allow-origin', origin)
    void readJson(request)
      .then((command) => execute(command, origin))
      .then(
        (value) => response.end(JSON.stringify(value ?? null)),
        (error: unknown) => {
          response.statusCode = 500
          response.end(String(error))
        },
      )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  project.provide('stacks', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)

  return async () => {
    await Promise.all(stacks.map((stack) => stack.close()))
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

async function readJson(request: IncomingMessage): Promise<Command> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Command
}
