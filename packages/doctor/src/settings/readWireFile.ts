import { readFileSync } from 'node:fs'
import { type MeetingsWire, resolveMeetingsWire } from '@stagepass/contract'
import { UsageError } from './UsageError.js'

/**
 * The wire of a JSON file with the same keys as the option `meetings.wire` of the BFF. Throws `UsageError`.
 */
export function readWireFile(path: string): MeetingsWire {
  return resolveMeetingsWire(readJson(path), (part, problem, remedy) => {
    throw new UsageError(`${part && `"${part}" in `}the file of --wire ${problem}`, remedy, 'read the wire')
  })
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    const problem = `the file of --wire ${cause instanceof SyntaxError ? 'is not JSON' : 'cannot be read'}`
    const remedy = 'Give the path of a JSON file such as { "items": "data.items" }'
    throw new UsageError(problem, remedy, 'read the wire', { cause })
  }
}
