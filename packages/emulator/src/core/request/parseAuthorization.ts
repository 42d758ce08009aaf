/**
 * The credential of an `Authorization` value with this scheme, in upper or lower case; `undefined` if the
 * value has another form.
 */
export function parseAuthorization(value: string, scheme: 'api-key' | 'bearer'): string | undefined {
  const space = value.indexOf(' ')
  if (space === -1 || value.slice(0, space).toLowerCase() !== scheme) return undefined
  const credential = value.slice(space).trim()
  return credential === '' || /\s/.test(credential) ? undefined : credential
}
