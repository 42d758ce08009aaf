interface Hash {
  update(text: string): { digest(encoding: 'base64url'): string }
}
interface NodeCrypto {
  createHash(name: 'sha256'): Hash
  createHmac(name: 'sha256', secret: string): Hash
}

/**
 * Names users in Redis: the id itself is never there. With a secret nobody can find an id by hashing likely
 * ones. Without it only ids that cannot be guessed are hidden. Node's own hash, because it gives its result
 * at once; it is looked up here, because a page has none and needs none. Throws in a runtime without it.
 */
export function createUserKeys(secret: string | undefined): (user: string) => string {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } }
  const node = process?.getBuiltinModule?.('node:crypto') as NodeCrypto | undefined // what Node calls so
  if (!node)
    throw new Error(
      'Failed to create the budget: with "redis" it needs node:crypto. In Cloudflare Workers set the compatibility flag nodejs_compat.',
    )
  return (user) => {
    const hash = secret === undefined ? node.createHash('sha256') : node.createHmac('sha256', secret)
    return hash.update(user).digest('base64url').slice(0, 22)
  }
}
