import { createInterface } from 'node:readline/promises'
import { UsageError } from './UsageError.js'

/** The user's terminal. */
export interface Terminal {
  /**
   * Asks again until `read` does not throw a `UsageError`. An empty line means the `usual` answer. Rejects
   * with an `AbortError` after Ctrl+C or Ctrl+D.
   */
  ask<TAnswer>(question: string, usual: string, read: (text: string) => TAnswer): Promise<TAnswer>
  close(): void
}

export function openTerminal(): Terminal {
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const stopped = new AbortController()
  // Ctrl+C and Ctrl+D close the input, but Node 20.19 and 22.12 do not reject the open question.
  lines.once('close', () => stopped.abort())
  return {
    async ask(question, usual, read) {
      for (;;) {
        const text = await lines.question(`${question} (${usual}) `, { signal: stopped.signal })
        try {
          return read(text.trim() || usual)
        } catch (error) {
          if (!(error instanceof UsageError)) throw error
          process.stdout.write(`${error.message}\n`)
        }
      }
    },
    close: () => lines.close(),
  }
}
