interface NodeCrypto {
  createHash(name: 'sha256'): { update(text: string): { digest(encoding: 'base64url'): string } }
}

/**
 * How users are called in Redis: by a name that does not reveal the id. The id itself is never there. Node's own hash, because it gives its
 * result at once; it is looked up here, because a page has none and needs none. Throws in a runtime without it.
 */
export function createUserKeys(): (user: string) => string {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } }
  const node = process?.getBuiltinModule?.('node:crypto') as NodeCrypto | undefined // what Node calls so
  if (!node)
    throw new Error(
      'Failed to create the budget: with "redis" it needs node:crypto. In Cloudflare Workers set the compatibility flag nodejs_compat.',
    )
  return (user) => node.createHash('sha256').update(user).digest('base64url').slice(0, 22)
}
