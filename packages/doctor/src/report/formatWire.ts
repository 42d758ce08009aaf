import type { WireReport } from './Report.js'

/** The object to paste, a comment behind each value that was not seen. */
export function formatWire({ wire, seen, assumed }: WireReport): string {
  const lines = ['meetings: {', '  wire: {']
  for (const [name, value] of Object.entries(wire)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      lines.push(`    ${name}: ${literal(value)},${remark(name, seen)}`)
      continue
    }
    lines.push(`    ${name}: {`)
    for (const [key, inner] of Object.entries(value))
      lines.push(`      ${key}: ${literal(inner)},${remark(`${name}.${key}`, seen)}`)
    lines.push('    },')
  }
  lines.push('  },', '}', '', `Seen: ${listed(seen)}.`, `Still assumed: ${listed(assumed)}.`)
  return lines.join('\n')
}

const remark = (path: string, seen: readonly string[]): string => (seen.includes(path) ? '' : ' // assumed')

const listed = (paths: readonly string[]): string => (paths.length === 0 ? 'nothing' : paths.join(', '))

/** In the quotes of this project. The values are names of letters, digits and . _ - [ ] /. */
const literal = (value: unknown): string =>
  JSON.stringify(value).replaceAll('"', "'").replaceAll("','", "', '")
