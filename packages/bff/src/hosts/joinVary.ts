/** Adds names to `Vary`. Another middleware may have set it before: `compression` sets `Accept-Encoding`. */
export function joinVary(current: number | string | readonly string[] | undefined, added: string): string {
  const names = [current ?? []].flat().join(', ')
  const known = names.split(',').map((name) => name.trim().toLowerCase())
  if (known.includes('*')) return names
  const others = added.split(', ').filter((name) => !known.includes(name.toLowerCase()))
  return [...(names === '' ? [] : [names]), ...others].join(', ')
}
