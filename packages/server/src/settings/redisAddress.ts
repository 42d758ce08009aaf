/** The parts of STAGEPASS_REDIS_URL, as options of `createClient`. */
export interface RedisAddress {
  readonly socket: { host: string; port: number; tls: true } | { host: string; port: number; tls: false }
  readonly username?: string
  readonly password?: string
  readonly database?: number
}

const FORM = /^(rediss?):\/\/(?:(.*)@)?(\[[\da-f:.]+\]|[^\s/@:?#[\]]+)(?::(\d*))?(\/[^?#]*)?(?:\?[^#]*)?$/is

const REMEDY = 'Use one such as rediss://:password@redis.example.com:6379/0'

/**
 * Reads an address of Redis, or returns its problem as the end of a sentence, without the value. A URL parser
 * would end the host name at a `/` or `#` in the password, and refuse a `%`. Passwords often contain them. So
 * the last `@` separates the password from the host, and a password that is not percent-encoded is taken as
 * it is.
 */
export function readRedisAddress(value: string): RedisAddress | string {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  if (/[\0-\x1f\x7f]/.test(value))
    return 'contains a line break or another control character. Copy it again, and save an env file with the line ends of Unix (LF)'
  if (!/^rediss?:\/\//i.test(value)) return `is not an address of redis: or rediss:. ${REMEDY}`
  const [, scheme = '', user, host = '', port = '', path = ''] = FORM.exec(value) ?? []
  if (host === '') return `has no host name after "://" and the last "@", or has a "#" after it. ${REMEDY}`
  if (Number(port || 6_379) > 65_535 || port === '0') return `has a port above 65535, or 0. ${REMEDY}`
  if (!/^\/?\d{0,9}$/.test(path))
    return `has a database that is not a number. Redis numbers its databases: end the address with /0, or leave the number out`
  const colon = user?.indexOf(':') ?? -1
  const username = decode(colon < 0 ? (user ?? '') : (user ?? '').slice(0, colon))
  const password = colon < 0 ? '' : decode((user ?? '').slice(colon + 1))
  const place = { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port || 6_379) }
  return {
    socket: scheme.toLowerCase() === 'rediss' ? { ...place, tls: true } : { ...place, tls: false },
    ...(username !== '' && { username }),
    ...(password !== '' && { password }),
    ...(path.length > 1 && { database: Number(path.slice(1)) }),
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
