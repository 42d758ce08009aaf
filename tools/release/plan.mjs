/* Prints what the files of .changeset come to, as JSON: the next version, and the text of each change. Run in the root of the repository. */
import { createRequire } from 'node:module'

const { default: plan } = createRequire(import.meta.url)('@changesets/get-release-plan')
const { changesets, releases } = await plan(process.cwd())
const version = releases.find(({ type }) => type !== 'none')?.newVersion ?? null
console.log(
  JSON.stringify({ version, changes: changesets.map(({ summary, releases }) => ({ summary, releases })) }),
)
