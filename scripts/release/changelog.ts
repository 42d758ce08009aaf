import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { TOOLS } from './tools.js'

/** What the files of .changeset come to. */
export interface Plan {
  /** `null` if there is nothing to release. */
  readonly version: string | null
  readonly changes: readonly Change[]
}

interface Change {
  readonly summary: string
  readonly releases: readonly { readonly name: string; readonly type: 'major' | 'minor' | 'patch' }[]
}

const TITLES = { major: 'What breaks', minor: 'New', patch: 'Fixed' } as const
const HEAD = '# Changelog\n\nAll packages have one version.\n'

export const readPlan = (root: string): Plan =>
  JSON.parse(execFileSync('node', [join(TOOLS, 'plan.mjs')], { cwd: root, encoding: 'utf8' })) as Plan

/** The largest step that a change is for one of its packages. */
const typeOf = ({ releases }: Change): keyof typeof TITLES =>
  (['major', 'minor'] as const).find((type) => releases.some((release) => release.type === type)) ?? 'patch'

/** Names of the packages without their scope. The text of a change is left as it was written. */
function formatChange({ summary, releases }: Change): string {
  const names = releases.map(({ name }) => name.replace('@stagepass/', '')).join(', ')
  return `**${names}**: ${summary.trim()}\n`
}

/** The section of a version. */
export function changelogSection({ version, changes }: Plan): string {
  const groups = (Object.keys(TITLES) as (keyof typeof TITLES)[]).flatMap((type) => {
    const ofType = changes.filter((change) => typeOf(change) === type)
    return ofType.length === 0 ? [] : [`### ${TITLES[type]}\n`, ...ofType.map(formatChange)]
  })
  return [`## ${version}\n`, ...groups].join('\n')
}

/** The page with a section more, the newest first. */
export function withSection(page: string | undefined, section: string): string {
  const sections = (page ?? HEAD).slice(HEAD.length).trim()
  return [HEAD, section, ...(sections === '' ? [] : [`${sections}\n`])].join('\n')
}

/** The section of a version that the page has, or `undefined`. */
export function sectionOf(page: string, version: string): string | undefined {
  const sections = page.split(/^(?=## )/m)
  return sections.find((section) => section.startsWith(`## ${version}\n`))
}
