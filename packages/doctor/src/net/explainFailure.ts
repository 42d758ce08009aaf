import { inspect } from 'node:util'
import { fail, type Outcome } from '../report/Result.js'

const HOST = 'Check the host name of the address for a typing mistake.'
const PROXY = 'Check the address, and the proxy or load balancer in front of it.'
const ENV_PROXY =
  'Node does not read HTTPS_PROXY by itself: if this network needs a proxy, set NODE_USE_ENV_PROXY=1 too (Node 24).'
const NETWORK = `Check this machine's network, DNS, VPN and firewall. ${ENV_PROXY}`
const AUTHORITY =
  "If it is your company's own authority, start Node with NODE_EXTRA_CA_CERTS=/path/to/ca.pem, here and for the server that runs the BFF."

/** Errors that a person can fix, found by a code, a name or a message. Each has a description and advice. */
const FAILURES: readonly (readonly [sign: RegExp, seen: string, advice: string])[] = [
  [/UNABLE_TO_|SELF_SIGNED/, 'has a certificate of an authority that this machine does not trust', AUTHORITY],
  [
    /CERT_HAS_EXPIRED/,
    'has a certificate that has expired',
    "Check this machine's clock, then renew the certificate.",
  ],
  [/CERT_NOT_YET_VALID/, 'has a certificate that is not valid yet', "Check this machine's clock."],
  [
    /CERT_ALTNAME_INVALID/,
    'has a certificate for another name',
    `${HOST} Do not turn off the check of certificates.`,
  ],
  [
    /EPROTO|SSL_WRONG_VERSION/,
    'does not use TLS at this address',
    'Check scheme and port: https and wss for TLS.',
  ],
  [/ENOTFOUND/, 'has a host name that does not exist', `${HOST} ${ENV_PROXY}`],
  [/EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/, 'cannot be reached from this machine', NETWORK],
  [
    /ECONNREFUSED/,
    'refused the connection',
    'Check the port of the address, and that the server is running.',
  ],
  [/TimeoutError|TIMEOUT|ETIMEDOUT|handshake has timed out/, 'did not answer in time', NETWORK],
  [
    /HTTPParserError|HPE_|HEADERS_OVERFLOW|CONTENT_LENGTH_MISMATCH/,
    'sent something that is not HTTP, or breaks its rules',
    'Check scheme and port: a port of TLS needs https or wss.',
  ],
  [/ECONNRESET|UND_ERR_SOCKET/, 'ended the connection without a response', PROXY],
  [
    /Z_(?:DATA|BUF)_ERROR|ERR__|BROTLI|Decompression failed|DECOMPRESSION/,
    'sent a compressed response that cannot be read',
    PROXY,
  ],
]

/** Converts the error of a request or a handshake to a result, which contains no text of the error. */
export function explainFailure(url: URL, error: unknown): Outcome {
  // Names, codes and messages of the error and its causes. They are only used for the search.
  const text = inspect(error)
  const [, seen, advice] = FAILURES.find(([sign]) => sign.test(text)) ?? [0, 'could not be reached', NETWORK]
  return fail(`${shownAddress(url)} ${seen}.`, advice)
}

/** Shows only scheme, host and path, because the query of an address may contain a token. */
export const shownAddress = ({ protocol, host, pathname }: URL): string =>
  `${protocol}//${host}${pathname.replace(/\/+$/, '')}`
