import type { Check } from '../checks/Check.js'
import type { BffContext } from './BffContext.js'
import * as between from './between.js'
import * as gate from './gate.js'
import * as pages from './pages.js'

/** A mounted BFF from outside, in order. The last two look at all responses. */
export const bffChecks: readonly Check<BffContext>[] = [
  { name: 'health', run: gate.health },
  { name: 'gate header', needs: ['health'], run: gate.gateHeader },
  { name: 'gate cross-site', needs: ['health'], run: gate.gateCrossSite },
  { name: 'gate own page', needs: ['health'], run: gate.gateOwnPage },
  { name: 'own origin', needs: ['gate own page'], run: gate.ownOrigin },
  { name: 'token', needs: ['gate own page'], run: pages.token },
  { name: 'stream', needs: ['token'], run: pages.stream },
  { name: 'handshake check', needs: ['token'], run: pages.handshakeCheck },
  { name: 'meetings', needs: ['gate own page'], run: pages.meetings },
  { name: 'tags', needs: ['gate own page'], run: pages.tags },
  { name: 'time-outs', needs: ['gate own page'], run: between.timeouts },
  { name: 'headers', needs: ['health'], run: between.headers },
  { name: 'leaks', needs: ['health'], run: between.leaks },
]
