/**
 * Identifier and name of a tag. Objects with an id and bare identifiers are understood. (Assumptions:
 * "Tags".)
 */
export function readTag(tag: unknown): { readonly id: string; readonly name: string } {
  if (typeof tag === 'object' && tag !== null && 'id' in tag) {
    const id = String(tag.id)
    return { id, name: 'name' in tag ? String(tag.name) : id }
  }
  return { id: String(tag), name: String(tag) }
}
