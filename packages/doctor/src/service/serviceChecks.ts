import { PRODUCT_NAMES } from '@stagepass/contract'
import type { Check } from '../checks/Check.js'
import type { ServiceContext } from './ServiceContext.js'
import * as streams from './streams.js'
import { clock, key, plan, tokenAddress } from './tokens.js'

/** Everything about tokens and WebSockets, in order. */
export const serviceChecks: readonly Check<ServiceContext>[] = [
  { name: 'token address', run: tokenAddress },
  { name: 'clock', needs: ['token address'], run: clock },
  { name: 'key', needs: ['token address'], run: key },
  ...PRODUCT_NAMES.map((product) => ({ name: `token ${product}`, needs: ['key'], run: plan(product) })),
  { name: 'stream address', run: streams.streamAddress },
  { name: 'wrong token', needs: ['stream address'], run: streams.wrongToken },
  { name: 'handshake header', needs: ['stream address', 'key'], run: streams.headerHandshake },
  ...PRODUCT_NAMES.map((product) => ({
    name: `stream ${product}`,
    needs: ['stream address', `token ${product}`],
    run: streams.stream(product),
  })),
  { name: 'second session', needs: ['handshake header'], run: streams.secondSession },
  { name: 'expiry', needs: ['handshake header'], run: streams.expiry },
]
