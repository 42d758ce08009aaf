import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** A block of a page that imports something. */
export interface Program {
  /** `<page>/<name>.tsx`: the programs of a page stand in one folder, so that they can import each other. */
  readonly file: string
  readonly code: string
}

/** The programs of a page. A block whose first line is `// App.tsx` or `// voice.ts` has that name; any other has its number. */
export function programsOf(page: string): Program[] {
  const folder = page.replaceAll(/\W+/g, '_')
  const blocks = [...readFileSync(ROOT + page, 'utf8').matchAll(/^```tsx?\n([\s\S]*?)^```/gm)]
  return blocks
    .map(([, code = ''], index) => {
      const name = /^\/\/ ([\w-]+\.tsx?)\n/.exec(code)?.[1] ?? `${index + 1}.tsx`
      return { file: `${folder}/${name}`, code }
    })
    .filter(({ code }) => /^import .* from '/m.test(code))
}

export function writePrograms(folder: string, programs: readonly Program[]): void {
  for (const { file, code } of programs) {
    mkdirSync(dirname(folder + file), { recursive: true })
    writeFileSync(folder + file, code)
  }
}
