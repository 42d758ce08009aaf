import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { printResults, race } from './race/race.js'

/*
 * Compares the program of packages/server, with its JSON logs, with the BFF mounted in `node:http`, which
 * sends no request for the grant.
 */

const { privateKey, publicKey } = await generateKeyPair('ES256')
const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] })
const token = await new SignJWT()
  .setProtectedHeader({ alg: 'ES256', kid: 'one' })
  .setSubject('ada')
  .setIssuer('bench')
  .setAudience('voice')
  .setExpirationTime('1h')
  .sign(privateKey)

let questions = 0
const team = createServer((req, res) => {
  const isQuestion = req.url !== '/jwks'
  if (isQuestion) questions += 1
  res.end(isQuestion ? '{"user":"ada"}' : keys)
})
team.listen(0, '127.0.0.1')
await once(team, 'listening')
const teamUrl = `http://127.0.0.1:${(team.address() as AddressInfo).port}`

const results = await race({
  upstream: new URL('./token-route/upstream.ts', import.meta.url),
  contenders: ['mounted', 'fromJwt', 'fromUrl'].map((name) => ({
    name,
    script: new URL('./server/contender.ts', import.meta.url),
    args: [name, teamUrl],
  })),
  path: '/api/voice/session-token',
  headers: {
    'content-type': 'application/json',
    'x-stagepass': '1',
    'sec-fetch-site': 'same-origin',
    authorization: `Bearer ${token}`,
  },
  body: JSON.stringify({ usage_type: 'stt' }),
})
team.close()
printResults('the program', results)
const mounted = results.get('mounted')
for (const name of ['fromJwt', 'fromUrl']) {
  const own = results.get(name)
  if (!own || !mounted) continue
  const ratio = own.perSecond / mounted.perSecond
  console.log(`${name} to mounted: ${ratio.toFixed(2)} (by CPU ${(mounted.cpuUs / own.cpuUs).toFixed(2)})`)
}
console.log(`fromUrl asked the team's server ${questions} times in all.`)
