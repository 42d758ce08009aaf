import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Grant } from '@stagepass/bff'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/*
 * For development, in place of your own identity provider: it gives anyone a token. A server that has the
 * addresses of yours does not start this.
 */

/** Starts an issuer of tokens, with new keys, on this machine alone. Throws in production. */
export async function startDevelopmentIssuer() {
  if (process.env.NODE_ENV === 'production')
    throw new Error(
      'Failed to start: there is no issuer of tokens. Set JWT_JWKS_URL, JWT_ISSUER and JWT_AUDIENCE to those of your identity provider.',
    )
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const keys = JSON.stringify({ keys: [await exportJWK(publicKey)] })
  const server = createServer((_req, res) => void res.setHeader('content-type', 'application/json').end(keys))
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const audience = 'assistant'
  return {
    options: { jwksUrl: issuer, issuer, audience },
    /** Signs a token of a user. `lifetime` is a time of jose, such as `8h`. */
    sign: (user: string, grant: Omit<Partial<Grant>, 'meetings'> & { meetings?: object }, lifetime = '8h') =>
      new SignJWT({ stagepass: grant })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' })
        .setSubject(user)
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime(lifetime)
        .sign(privateKey),
    close: () => void server.close(),
  }
}
