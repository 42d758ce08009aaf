import { PRODUCT_NAMES } from '@stagepass/contract'
import type { Check } from './Check.js'
import { handshake, paths, streamAddress, wrongToken } from './handshakes.js'
import type { ServiceContext } from './ServiceContext.js'
import { expiry, secondSession, translation } from './sessions.js'
import { clock, tokenAddress } from './tokenAddress.js'
import { key, plan } from './tokens.js'

/** Everything about tokens and WebSockets, in order. */
export const serviceChecks = (options: { readonly expiry: boolean }): readonly Check<ServiceContext>[] => [
  tokenAddress,
  clock,
  key,
  ...PRODUCT_NAMES.map(plan),
  streamAddress,
  handshake('header'),
  handshake('query'),
  paths,
  wrongToken,
  translation,
  secondSession,
  expiry(options.expiry),
]
