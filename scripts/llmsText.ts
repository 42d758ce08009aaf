import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The list of a package's pages for programs that read (https://llmstxt.org): its README, its skills, and
 * what each entry is for. They fit the version that is installed.
 *
 * @param folder of the package
 */
export function llmsText(folder: string): string {
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
  const { name, version, description, exports } = JSON.parse(read('package.json')) as {
    readonly name: string
    readonly version: string
    readonly description: string
    readonly exports: Readonly<Record<string, { readonly '@stagepass/source'?: unknown }>>
  }
  const skills = existsSync(join(folder, 'skills')) ? readdirSync(join(folder, 'skills')).toSorted() : []
  const entries = Object.entries(exports).filter(([, target]) => typeof target === 'object')
  return `${[
    `# ${name} ${version}`,
    `> ${description}`,
    '- [README](README.md): what it does, its options, results and errors',
    '## Skills, one for a task',
    skills
      .map((skill) => {
        const path = `skills/${skill}/SKILL.md`
        const [, about = ''] = /^description: (.+)$/m.exec(read(path)) ?? []
        return `- [${skill}](${path}): ${about}`
      })
      .join('\n'),
    '## Entries',
    entries.map(([entry]) => `- \`${name}${entry.slice(1)}\``).join('\n'),
    'The types beside each entry have a comment for each name. Sources are in `src`.',
  ].join('\n\n')}\n`
}
