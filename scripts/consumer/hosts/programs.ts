import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const PAGE = readFileSync(resolve(import.meta.dirname, '../../../docs/hosts.md'), 'utf8')

/**
 * The program number `at` below a heading of docs/hosts.md, with the port of the environment. So the tests
 * run the programs of the page.
 */
export function programOf(heading: string, at = 0): string {
  const section = PAGE.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  const code = [...section.matchAll(/^```[jt]s\n([\s\S]*?)^```/gm)][at]?.[1]
  if (code === undefined) throw new Error(`Failed to read docs/hosts.md: "${heading}" has no program ${at}.`)
  return code.replace(/\b3000\b/, 'Number(process.env.PORT)')
}

/** The program with changes. Throws if it does not have the text, because the page has changed. */
export function changed(
  program: string,
  ...changes: readonly (readonly [text: string, by: string])[]
): string {
  return changes.reduce((code, [text, by]) => {
    if (!code.includes(text))
      throw new Error(`Failed to change a program of docs/hosts.md: it has no ${text}.`)
    return code.replace(text, () => by)
  }, program)
}

/** In place of the page's `voice.ts`: the emulator, and one user. */
export const VOICE = `export const keys = {
  apiKey: process.env.VOICE_API_KEY,
  baseUrl: process.env.VOICE_BASE_URL,
  streamingUrl: process.env.VOICE_STREAMING_URL,
  meetings: { baseUrl: process.env.VOICE_MEETINGS_URL },
  onEvent: (event) => console.log(JSON.stringify(event)),
  ...(process.env.PUBLIC_ORIGIN && { origin: process.env.PUBLIC_ORIGIN }),
}

export async function grantOf(cookie) {
  if (cookie !== 'user=ada') return null
  return { user: 'ada', meetings: { credential: process.env.VOICE_MEETINGS_TOKEN } }
}
`
