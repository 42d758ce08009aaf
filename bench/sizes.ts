import { json } from 'node:stream/consumers'
import { createRecorder } from './report/createRecorder.js'

/* Reads what `size-limit --json` prints, and compares each size with its limit in .size-limit.js. */

interface Size {
  readonly name: string
  /** Bytes, minified and gzipped. */
  readonly size: number
  readonly sizeLimit: number
}

const recorder = createRecorder()
for (const { name, size, sizeLimit } of (await json(process.stdin)) as Size[])
  recorder.keep({
    what: name,
    beside: 'its limit',
    own: size / 1_000,
    other: sizeLimit / 1_000,
    unit: 'kB',
    aim: { atMost: 1 },
  })
recorder.end()
