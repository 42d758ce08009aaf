import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { withoutQuotes } from '@stagepass/contract'

/** Encodings that editors and shells on Windows write, by the byte order mark of the file. */
const MARKS: readonly (readonly [first: number, second: number, encoding: string])[] = [
  [0xff, 0xfe, 'utf-16le'],
  [0xfe, 0xff, 'utf-16be'],
]

/** No secret and no file of settings is longer. */
const MAX_BYTES = 65_536

/** A file that is not read. The message is the end of a sentence. */
class FileError extends Error {
  override readonly name = 'FileError'
}

/** Says why a file could not be read, as the end of a sentence. */
export function fileProblem(error: unknown): string {
  if (error instanceof FileError) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  return `cannot be read (${code}). Check that the file exists and that this user may read it`
}

/** Reads a text file in UTF-8 or UTF-16, without its byte order mark. Rejects if it is not a regular file. */
export async function readTextFile(path: string): Promise<string> {
  // Opening a named pipe would wait for its writer.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    if (!(await file.stat()).isFile())
      throw new FileError('is a pipe, a device or a folder. Write the path of a regular file')
    const bytes = await readAll(file)
    const [, , encoding] = MARKS.find(([first, second]) => bytes[0] === first && bytes[1] === second) ?? []
    // The decoder removes the mark.
    return new TextDecoder(encoding).decode(bytes)
  } finally {
    await file.close()
  }
}

/** Not with `readFile`, because the file may grow while it is read. */
async function readAll(file: FileHandle): Promise<Buffer> {
  const buffer = Buffer.alloc(MAX_BYTES + 1)
  let length = 0
  for (let read = -1; read !== 0 && length < buffer.length; length += read)
    ({ bytesRead: read } = await file.read(buffer, length))
  if (length > MAX_BYTES) throw new FileError('has more than 64 KiB. Check the path')
  return buffer.subarray(0, length)
}

/** Reads a secret without the line breaks at the end of the file, and without quotation marks around it. */
export const readSecretFile = async (path: string): Promise<string> =>
  withoutQuotes((await readTextFile(path)).replace(/(?:\r?\n)+$/, ''))
