import { readFileSync } from 'node:fs'
import { withoutQuotes } from '@stagepass/contract'

/** Encodings that editors and shells on Windows write, by the byte order mark of the file. */
const MARKS: readonly (readonly [first: number, second: number, encoding: string])[] = [
  [0xff, 0xfe, 'utf-16le'],
  [0xfe, 0xff, 'utf-16be'],
]

/** Reads a text file in UTF-8 or UTF-16, without its byte order mark. */
export function readTextFile(path: string): string {
  const bytes = readFileSync(path)
  const [, , encoding] = MARKS.find(([first, second]) => bytes[0] === first && bytes[1] === second) ?? []
  // The decoder removes the mark.
  return new TextDecoder(encoding).decode(bytes)
}

/** Reads a secret without the line breaks at the end of the file, and without quotation marks around it. */
export const readSecretFile = (path: string): string =>
  withoutQuotes(readTextFile(path).replace(/(?:\r?\n)+$/, ''))
