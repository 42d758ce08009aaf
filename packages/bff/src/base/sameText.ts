/**
 * Compares two texts in a time that depends only on the length of `given`, which its sender knows. The time
 * does not reveal the length of `secret` or the position of a difference.
 */
export function sameText(given: string, secret: string): boolean {
  const isSameLength = given.length === secret.length
  const other = isSameLength ? secret : given
  let difference = isSameLength ? 0 : 1
  for (let at = 0; at < given.length; at++) difference |= given.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}
