/** A company proxy, as options of undici's `EnvHttpProxyAgent`. */
export interface Proxy {
  readonly httpsProxy: string
  /** Names of hosts that are reached directly, separated by commas. */
  readonly noProxy: string
}

const VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'] as const

/** This machine, also without an entry in NO_PROXY. */
const LOOPBACK = 'localhost,127.0.0.1,[::1]'

/**
 * Reads the variables of a proxy, in the order of undici. Returns the problem of a wrong address as a
 * sentence, without the value, which may contain a password.
 */
export function readProxy(
  environment: Readonly<Record<string, string | undefined>>,
): Proxy | string | undefined {
  const variable = VARIABLES.find((name) => environment[name])
  const noProxy = environment.no_proxy ?? environment.NO_PROXY ?? ''
  if (variable === undefined || noProxy.split(/[,\s]/).includes('*')) return undefined
  const value = environment[variable]?.trim() ?? ''
  // curl takes an address without a scheme.
  const httpsProxy = value.includes('://') ? value : `http://${value}`
  if (!/^https?:\/\//i.test(httpsProxy) || !URL.canParse(httpsProxy))
    return `${variable} is not the address of a proxy of http: or https:. Use one such as http://proxy.example.com:3128, or unset the variable.`
  return { httpsProxy, noProxy: `${noProxy},${LOOPBACK}` }
}
