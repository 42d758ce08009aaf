import { fail, type Outcome } from '../report/Result.js'

/** What the error says and what to do, for each code of Node and OpenSSL that a person can do something about. */
const PRIVATE_CA = [
  'has a certificate of an authority that this machine does not know',
  "If it is your company's own authority, start Node with NODE_EXTRA_CA_CERTS=/path/to/ca.pem, here and for the server that runs the BFF.",
] as const
const NO_TLS = [
  'does not speak TLS there',
  'Check scheme and port of the address: https and wss for TLS.',
] as const
const TIMEOUT = [
  'did not answer in time',
  'Check the address, and if a firewall or a company proxy blocks it from this machine.',
] as const
const CUT = [
  'ended the connection without a response',
  'Check the address, and the proxy or load balancer in front of it.',
] as const

const FAILURES: Readonly<Record<string, readonly [seen: string, advice: string]>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: PRIVATE_CA,
  UNABLE_TO_GET_ISSUER_CERT: PRIVATE_CA,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: PRIVATE_CA,
  SELF_SIGNED_CERT_IN_CHAIN: PRIVATE_CA,
  DEPTH_ZERO_SELF_SIGNED_CERT: PRIVATE_CA,
  CERT_HAS_EXPIRED: [
    'has a certificate that has expired',
    "Check this machine's clock first. If it is right, the operator of the address must renew the certificate.",
  ],
  CERT_NOT_YET_VALID: [
    'has a certificate that is not valid yet',
    "Check this machine's clock: it is probably behind.",
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'has a certificate for another name',
    'Check the host name of the address for a typing mistake. Do not switch the check off.',
  ],
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ENOTFOUND: [
    'has a host name that does not exist',
    'Check the host name of the address for a typing mistake.',
  ],
  EAI_AGAIN: ['has a host name that could not be looked up', "Check this machine's network and its DNS."],
  ECONNREFUSED: ['refused the connection', 'Check the port of the address, and that the server runs.'],
  ECONNRESET: CUT,
  UND_ERR_SOCKET: CUT,
  EHOSTUNREACH: ['cannot be reached from this machine', "Check this machine's network, VPN and firewall."],
  ENETUNREACH: ['cannot be reached from this machine', "Check this machine's network, VPN and firewall."],
  ETIMEDOUT: TIMEOUT,
  UND_ERR_CONNECT_TIMEOUT: TIMEOUT,
  TimeoutError: TIMEOUT,
  // ws has no code for it.
  'Opening handshake has timed out': TIMEOUT,
}

/** The error of a request or a handshake as a result. Nothing of the error's own text is in it. */
export function explainFailure(url: URL, error: unknown): Outcome {
  const known = codesOf(error)
    .map((code) => FAILURES[code])
    .find((failure) => failure !== undefined)
  const [seen, advice] = known ?? ['could not be reached', 'Check the address, the network and the proxy.']
  return fail(`${shownAddress(url)} ${seen}.`, advice)
}

/** Scheme, host and path: an address may have a token in its query. */
export const shownAddress = ({ protocol, host, pathname }: URL): string =>
  `${protocol}//${host}${pathname === '/' ? '' : pathname}`

/** Codes, names and messages of an error and its causes: only to look them up. */
function codesOf(error: unknown): string[] {
  const codes: string[] = []
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    const code: unknown = Reflect.get(at, 'code')
    if (typeof code === 'string') codes.push(code)
    codes.push(at.name, at.message)
    if (at instanceof AggregateError) codes.push(...at.errors.flatMap(codesOf))
  }
  return codes
}
