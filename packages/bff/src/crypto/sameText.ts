/**
 * Compares two texts. How long it takes depends on the length of `given` alone, which its sender knows: not
 * on the length of `secret`, and not on where they differ.
 */
export function sameText(given: string, secret: string): boolean {
  const isSameLength = given.length === secret.length
  const other = isSameLength ? secret : given
  let difference = isSameLength ? 0 : 1
  for (let at = 0; at < given.length; at++) difference |= given.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}
