import { EnvHttpProxyAgent, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import type { Proxy } from '../settings/readProxy.js'

/**
 * Sends each request of `fetch` in this process to the proxy, until `close`: the keys of `fromJwt` and the
 * route of `fromUrl` are read with it. `dispatcher` does the same for the BFF.
 */
export function openProxy(proxy: Proxy) {
  // The settings allow http only on this machine, where no proxy is needed.
  const dispatcher = new EnvHttpProxyAgent({ ...proxy, httpProxy: '' })
  const before = getGlobalDispatcher()
  setGlobalDispatcher(dispatcher)
  return {
    dispatcher,
    host: new URL(proxy.httpsProxy).host,
    async close(): Promise<void> {
      setGlobalDispatcher(before)
      await dispatcher.destroy()
    },
  }
}
