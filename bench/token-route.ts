import { printResults, race } from './race/race.js'

/* The token route, gate, grant, limits and validation on, beside three other ways to keep a key on the server. */

/** Without a target it is there to tell where the time goes. */
const contender = (name: string, kind: string, target?: number) => ({
  name,
  script: new URL('./token-route/contender.ts', import.meta.url),
  args: [kind],
  target,
})
const contenders = [
  contender('Stagepass', 'stagepass'),
  contender('hand-written', 'handWritten', 2),
  contender('http-proxy-middleware', 'proxy', 1),
  contender('bare node:http + undici', 'bare', 0.5),
  contender('the same behind Express', 'bareInExpress'),
]

const results = await race({
  upstream: new URL('./token-route/upstream.ts', import.meta.url),
  contenders,
  path: '/session-token',
  headers: { 'content-type': 'application/json', 'x-stagepass': '1', 'sec-fetch-site': 'same-origin' },
  body: JSON.stringify({ usage_type: 'stt', expiration_ttl: 30 }),
})
printResults('token route', results)
const own = results.get('Stagepass')
for (const { name, target } of contenders) {
  const other = results.get(name)
  if (!own || !other || own === other) continue
  const ratio = own.perSecond / other.perSecond
  const verdict = target === undefined ? '' : `at least ${target}: ${ratio >= target ? 'holds' : 'MISSED'}; `
  console.log(
    `ratio to ${name.padEnd(26)} ${ratio.toFixed(2)}  (${verdict}by CPU ${(other.cpuUs / own.cpuUs).toFixed(2)})`,
  )
}
