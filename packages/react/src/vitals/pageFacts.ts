import { PAGE_NETWORKS, type PageEngine, type PageNetwork } from '@stagepass/contract'

export interface PageFacts {
  readonly engine: PageEngine
  readonly network: PageNetwork
}

interface KnownNavigator {
  readonly product?: string
  readonly userAgent?: string
  readonly connection?: { readonly effectiveType?: string }
}

/** The engine of this browser, and the kind of its network as far as the browser tells it. */
export function pageFacts(): PageFacts {
  const { navigator = {} } = globalThis as { readonly navigator?: KnownNavigator }
  const network = PAGE_NETWORKS.find((name) => name === navigator.connection?.effectiveType)
  return { engine: engineOf(navigator), network: network ?? 'unknown' }
}

function engineOf({ product, userAgent = '' }: KnownNavigator): PageEngine {
  if (product === 'ReactNative') return 'native'
  // Every browser of an iPhone names Safari's engine, and Chrome names it too.
  if (/Firefox\//.test(userAgent)) return 'gecko'
  if (/Chrom(?:e|ium)\//.test(userAgent)) return 'blink'
  return userAgent.includes('AppleWebKit/') ? 'webkit' : 'other'
}
