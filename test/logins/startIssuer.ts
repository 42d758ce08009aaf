import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { Provider } from './providers.js'

const newKey = async (alg: string) => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { privateKey, jwk: await exportJWK(publicKey) }
}

/** An issuer on this machine, with the addresses, keys and tokens of a provider. */
export async function startIssuer({ path, jwksPath, alg, keysHaveAlg, header }: Provider) {
  const keys = await Promise.all([newKey(alg), newKey(alg)])
  const jwks = keys.map(({ jwk }, index) => ({
    ...jwk,
    kid: `key-${index}`,
    use: 'sig',
    ...(keysHaveAlg && { alg }),
  }))
  // Keycloak has one for encryption beside them.
  const [first] = jwks
  const set = JSON.stringify({
    keys: [{ ...first, kid: 'encryption', use: 'enc', ...(keysHaveAlg && { alg: 'RSA-OAEP' }) }, ...jwks],
  })
  const server = createServer((req, res) => {
    if (req.url === jwksPath) res.setHeader('content-type', 'application/json').end(set)
    else res.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
  return {
    issuer,
    /** Signs a token of five minutes. A claim that is `undefined` is left out. */
    sign(claims: Readonly<Record<string, unknown>>, by = alg as string): Promise<string> {
      const now = Math.floor(Date.now() / 1_000)
      const token = new SignJWT({ iss: issuer, iat: now, exp: now + 300, ...claims })
      // A secret of the legacy kind, which nothing in the list of keys can check.
      const key = by === 'HS256' ? new TextEncoder().encode('a'.repeat(32)) : keys[1].privateKey
      return token.setProtectedHeader({ ...header, alg: by, kid: 'key-1' }).sign(key)
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
