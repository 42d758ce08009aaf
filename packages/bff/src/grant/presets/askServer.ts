import { AuthorizeError } from '../AuthorizeError.js'
import { isBrokenEncoding, unreadEncoding } from '../../base/contentEncoding.js'
import { readText } from '../../base/readText.js'

export interface ServerAnswer {
  readonly status: number
  readonly text: string
}

export interface AskOptions {
  /** Subject of the error sentences: `The authorize server`. */
  readonly name: string
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>>
  readonly maxBytes: number
}

/** Longest time for one answer. */
export const TIMEOUT_MS = 5_000

/**
 * Sends a GET to a server of the team. Rejects with an `AuthorizeError` if the answer is late, a redirect or
 * too long. No error contains a part of the answer.
 */
export async function askServer(options: AskOptions): Promise<ServerAnswer> {
  const { name, url, headers, maxBytes } = options
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const send = (): Promise<Response> =>
    fetch(url, {
      // Not compressed: a small compressed answer could expand to a huge one. No store: a cache must not give
      // one user the answer for another. This is a header because not every runtime supports the option
      // `cache` of `fetch`.
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        'cache-control': 'no-store',
        ...headers,
      },
      redirect: 'manual',
      signal,
    })
  try {
    // A server may close an idle connection just when it is used again, so one failure is retried.
    const response = await send().catch((error: unknown) => {
      if (signal.aborted) throw error
      return send()
    })
    const { status } = response
    // In a page, the status of a redirect is 0.
    if (status === 0 || (status >= 300 && status < 400)) {
      await response.body?.cancel()
      throw new AuthorizeError(
        `${name} answered with a redirect (${status}). It must answer itself: with 401 if nobody is signed in, and not with a redirect to a login page.`,
      )
    }
    const encoding = response.headers.get('content-encoding')
    const text = await readText(response.body?.getReader(), maxBytes).catch((cause: unknown) => {
      throw encoding !== null && isBrokenEncoding(cause) ? unread(name, encoding, cause) : cause
    })
    if (text === undefined) throw new AuthorizeError(`${name} answered with more than ${maxBytes} bytes.`)
    const unreadAs = unreadEncoding(encoding, text)
    if (unreadAs !== undefined) throw unread(name, unreadAs)
    return { status, text }
  } catch (cause) {
    if (cause instanceof AuthorizeError) throw cause
    if (signal.aborted)
      throw new AuthorizeError(`${name} took longer than ${TIMEOUT_MS} ms. Is it overloaded?`, { cause })
    const problem = `${name} cannot be reached${failureOf(cause)}.`
    throw new AuthorizeError(`${problem} Check that it is running and that its address is right.`, { cause })
  }
}

/** An answer that could not be decoded. The header may contain anything, so only a usual name is shown. */
function unread(name: string, encoding: string, cause?: unknown): AuthorizeError {
  const shown = /^[\w, -]{1,40}$/.test(encoding) ? `"${encoding}"` : 'an unknown name'
  return new AuthorizeError(
    `${name} answered with the content encoding ${shown}, which cannot be decoded. It must answer without one.`,
    { cause },
  )
}

/** The system's name for the failure, such as `ECONNREFUSED`, or that of the error: `HTTPParserError`. */
function failureOf(error: unknown): string {
  const cause = Object(Reflect.get(Object(error), 'cause')) as object
  const name: unknown = Reflect.get(cause, 'code') ?? Reflect.get(cause, 'name')
  return typeof name === 'string' && /^\w{1,60}$/.test(name) ? ` (${name})` : ''
}
