import { printResults, race } from './race/race.js'
import { writeRatios } from './report/ratios.js'

const contender = (name: string, client: string) => ({
  name,
  script: new URL('./http-client/contender.ts', import.meta.url),
  args: [client],
})

const results = await race({
  upstream: new URL('./token-route/upstream.ts', import.meta.url),
  contenders: [
    contender('undici Pool.dispatch', 'dispatch'),
    contender('undici Pool.request', 'request'),
    contender('node:http keep-alive agent', 'agent'),
    contender('global fetch', 'globalFetch'),
  ],
  path: '/',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ usage_type: 'stt', expiration_ttl: 30 }),
})
printResults('outbound clients', results)
const [[what, own] = ['', undefined], ...others] = results
writeRatios(
  others.map(([beside, other]) => ({
    what,
    beside,
    own: own?.perSecond ?? NaN,
    other: other.perSecond,
    unit: 'requests/s',
  })),
)
