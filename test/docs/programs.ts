import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

export const ROOT = `${resolve(import.meta.dirname, '../..')}/`

/** A block of TypeScript in a page. */
export interface Program {
  /** `<page>/<name>.tsx`: the programs of a page are in one folder, so that they can import each other. */
  readonly file: string
  readonly code: string
}

export const isProgram = (code: string): boolean => /^import .* from '/m.test(code)

/**
 * The TypeScript of a page. A block whose first line is `// App.tsx` or `// voice.ts` has that name; any
 * other has its number.
 */
export function blocksOf(page: string): Program[] {
  const folder = page.replaceAll(/\W+/g, '_')
  const text = readFileSync(ROOT + page, 'utf8')
  return [...text.matchAll(/^( *)```tsx?(?: \{[\d,-]+\})?\n([\s\S]*?)^\1```/gm)].map(
    ([, indent = '', inside = ''], index) => {
      const code = inside.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
      const name = /^\/\/ ([\w.-]+\.tsx?)\n/.exec(code)?.[1] ?? `${index + 1}.tsx`
      return { file: `${folder}/${name}`, code }
    },
  )
}

/** The blocks of a page that import something. */
export const programsOf = (page: string): Program[] => blocksOf(page).filter(({ code }) => isProgram(code))

export function writePrograms(folder: string, programs: readonly Program[]): void {
  for (const { file, code } of programs) {
    mkdirSync(dirname(folder + file), { recursive: true })
    writeFileSync(folder + file, code)
  }
}
