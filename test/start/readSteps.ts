/** One step of a start page. */
export type Step =
  | { readonly type: 'run'; readonly commands: string }
  | { readonly type: 'file'; readonly path: string; readonly text: string }

/**
 * The steps of a start page for its reader, in an empty folder, in the order of the page. A block of `sh` is
 * run. Every other block is a file: its name is in the title of the block (```ts [server.ts]), or in the
 * paragraph before it ("Save this as `server.ts`:"). The last block of `sh` starts the server; later text has
 * no steps.
 */
export function readSteps(page: string): Step[] {
  const steps: Step[] = []
  const blocks = /^```(\S+)(?: \[(.+)\])?[^\n]*\n([\s\S]*?)^```$/gm
  let before = 0
  for (const match of page.matchAll(blocks)) {
    const [whole, language = '', title, text = ''] = match
    const paragraph = page.slice(before, match.index).trim().split('\n\n').at(-1) ?? ''
    before = match.index + whole.length
    if (language === 'sh') {
      steps.push({ type: 'run', commands: text })
      continue
    }
    const path = title ?? /\bas `([^`]+)`/.exec(paragraph)?.[1]
    if (path === undefined)
      throw new Error(`Failed to read a start page: the block before character ${before} names no file.`)
    steps.push({ type: 'file', path, text })
  }
  const last = steps.findLastIndex(({ type }) => type === 'run')
  if (last < 0) throw new Error('Failed to read a start page: it runs nothing.')
  return steps.slice(0, last + 1)
}

/** The address that the page tells its reader to open. */
export function readAddress(page: string): string {
  const address = /Open <(http:\/\/localhost:\d+)>/.exec(page)?.[1]
  if (address === undefined)
    throw new Error('Failed to read a start page: it has no "Open <http://localhost:…>".')
  return address
}
