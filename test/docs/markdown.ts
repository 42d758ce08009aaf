/** A page without its blocks of code. */
const proseOf = (page: string): string => page.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '')

/** The headings of a page, with their Markdown. */
export const headingsOf = (page: string): string[] =>
  [...proseOf(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading.trim())

/** The fragments that GitHub makes of the headings of a page. A repeated heading gets a number. */
export function fragmentsOf(page: string): Set<string> {
  const fragments = new Set<string>()
  for (const heading of headingsOf(page)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const fragment = words.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-')
    let unique = fragment
    for (let count = 1; fragments.has(unique); count += 1) unique = `${fragment}-${count}`
    fragments.add(unique)
  }
  return fragments
}

/** Targets of the links and pictures of a page. */
export const linksOf = (page: string): string[] =>
  [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
