import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/*
 * REPLACE THIS FILE with your identity provider. For development it signs a token for anyone on this machine
 * who asks, as Ada or as Ben, and forgets its key when it ends.
 */

export const ISSUER = 'http://localhost/development-issuer'
export const AUDIENCE = 'captions'

/** Answers `GET /issuer/jwks` and `POST /issuer/token`. Throws in production. */
export async function createIssuer() {
  if (process.env.NODE_ENV === 'production')
    throw new Error(
      'Failed to start: the issuer signs a token for anyone, so it works in development only. Set the issuer of your identity provider in server.mts.',
    )
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'development', alg: 'ES256', use: 'sig' }] }

  const sign = (user: string): Promise<string> =>
    new SignJWT({ stagepass: { products: ['stt', 'tts'], meetings: { ownership: 'mine' } } })
      .setProtectedHeader({ alg: 'ES256', kid: 'development', typ: 'at+jwt' })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject(user)
      .setIssuedAt()
      .setExpirationTime('15m')
      .sign(privateKey)

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      response.end(JSON.stringify(body))
    }
    // Another name for this machine is the name of a page that wants to be read as this server.
    if (!/^(?:localhost|127\.0\.0\.1)(?::\d+)?$/.test(request.headers.host ?? ''))
      return answer(403, { error: 'The issuer is for development, and answers on localhost alone.' })
    if (request.method === 'GET' && request.url === '/issuer/jwks') return answer(200, jwks)
    if (request.method !== 'POST' || request.url !== '/issuer/token') return answer(404, {})
    // A page of another site can send a form, but not this type.
    if (request.headers['content-type'] !== 'application/json') return answer(415, {})
    const { user } = JSON.parse((await text(request)).slice(0, 1_000) || '{}') as { user?: unknown }
    if (user !== 'ada' && user !== 'ben') return answer(400, { error: 'The users are ada and ben.' })
    answer(200, { token: await sign(user) })
  }
}
