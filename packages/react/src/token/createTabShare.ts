import { DEFAULT_TTL_MINUTES, type Product } from '@stagepass/contract'
import type { Platform, TimerHandle } from '../platform/platform.js'
import type { Mint, MintedToken, MintOptions } from './createMint.js'
import { SessionToken, wipeToken } from './SessionToken.js'
import type { TokenSource } from './TokenSource.js'

/*
 * One token request for all tabs of a user. Two kinds of Web Lock say what is so; a BroadcastChannel carries
 * the token.
 *
 *   the product's lock       held, by one tab at a time, while that tab gets a token
 *   a lock for each token    shared by all tabs that have the token and can hand it over; its name says when
 *                            the token expires
 *
 *   tab 1   product's lock ── no token listed ── BFF ── holds the token's lock ── lets the product's lock go
 *   tab 2   waits ............................................ finds the token in the list ── asks tab 1
 *
 * A tab that asks also requests the token's lock for itself. It gets it when no tab has the token any longer:
 * the tabs were closed, have crashed, or will not hand the token over. So a response or the end of the last
 * holder decides, and not how long a response takes.
 *
 * Tokens are sent only on request and never stored: a frozen tab may read a message an hour later, and the
 * token's remaining life in it would be wrong. The life in a response counts from the time of the request, by
 * the clock of the tab that asked.
 */

type Message =
  | { readonly type: 'request'; readonly id: string; readonly lock: string }
  | {
      readonly type: 'response'
      readonly id: string
      readonly value: string
      readonly streamUrl: string
      readonly expiresInMs: number
    }

interface CreateTabShareOptions {
  /** Tabs with the same name share. It contains the user. (SECURITY.md, S37.) */
  readonly name: string
  readonly mint: Mint
  readonly tokens: (product: Product) => TokenSource
  readonly platform: Platform
  /** Aborts when the identity ends. */
  readonly signal: AbortSignal
}

/** A token that some tab has. */
interface ListedToken {
  /** Name of its lock. */
  readonly lock: string
  readonly expiresAt: number
  /** The TTL that it was requested with. */
  readonly ttlMinutes: number
}

/** A token of this tab. */
interface OwnToken extends ListedToken {
  readonly minted: MintedToken
  /** Lets the lock go: this tab hands the token over no longer. */
  readonly release: () => void
}

/*
 * A tab may hold a lock and stand still: its system has suspended it, or a debugger has. It is given up after
 * so many turns of this tab's own timer. On a busy machine the turns take longer, so there it is waited for.
 */
const TURN_MS = 100
const RESPONSE_TURNS = 50
/** For the product's lock: its holder may wait for the BFF. */
const LOCK_TURNS = 100
/** A browser lets the timers of a hidden tab run once a minute. */
const LONGEST_WAIT_MS = 30_000

/** Shares if the browser can; otherwise this tab asks for itself. */
export function createTabShare({ name, mint, tokens, platform, signal }: CreateTabShareOptions): Mint {
  const locks = typeof navigator === 'undefined' ? undefined : (navigator.locks as LockManager | undefined)
  if (!locks || typeof BroadcastChannel === 'undefined' || signal.aborted) return mint

  const channel = new BroadcastChannel(name)
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin alone
  const post = (message: Message): void => channel.postMessage(message)
  const own = new Map<Product, OwnToken>()
  const asking = new Map<string, (response: Message & { type: 'response' }) => void>()

  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.type === 'request') handOver(data)
    else asking.get(data.id)?.(data)
  })
  signal.addEventListener('abort', () => {
    channel.close()
    for (const { minted } of own.values()) wipeToken(minted.token)
    withdrawAll()
  })
  // A page that is left has no token any longer, and a frozen one cannot respond.
  const stopListening = platform.onSuspend((reason) => (reason === 'offline' ? undefined : withdrawAll()))
  signal.addEventListener('abort', stopListening)

  function withdraw(product: Product): void {
    own.get(product)?.release()
    own.delete(product)
  }

  function withdrawAll(): void {
    for (const product of own.keys()) withdraw(product)
  }

  function handOver({ id, lock }: Message & { type: 'request' }): void {
    for (const [product, { lock: ownLock, minted }] of own) {
      if (ownLock !== lock) continue
      const { token, streamUrl, deadline } = minted
      const state = tokens(product).state()
      const now = platform.now()
      const isDue = state.status === 'success' && state.live.token === token && now >= state.renewAt
      // This tab needs another token soon itself. The end of its lock is the response.
      if (isDue || token.value === '') withdraw(product)
      else post({ type: 'response', id, value: token.value, streamUrl, expiresInMs: deadline - now })
    }
  }

  const lockOf = (product: Product): string => `${name} ${product}`

  /** The tokens that tabs have, the last to expire first. */
  async function listTokens(product: Product): Promise<ListedToken[]> {
    const start = `${lockOf(product)} `
    const { held = [] } = await locks!.query()
    const listed = held.flatMap(({ name: lock = '', mode }) => {
      // A tab that waits for the end of a token has its lock for a moment, for itself.
      if (mode !== 'shared' || !lock.startsWith(start)) return []
      const [expiresAt = NaN, ttlMinutes = NaN] = lock.slice(start.length).split(' ').map(Number)
      return [{ lock, expiresAt, ttlMinutes }]
    })
    return listed.toSorted((a, b) => b.expiresAt - a.expiresAt)
  }

  /** True if the token is what this tab needs, and not the one that it has. */
  function isWanted(listed: ListedToken, product: Product, { ttlMinutes = Infinity }: MintOptions): boolean {
    const mine = own.get(product)
    if (listed.ttlMinutes > ttlMinutes || listed.lock === mine?.lock) return false
    return !mine || mine.ttlMinutes > ttlMinutes || listed.expiresAt > mine.expiresAt
  }

  /**
   * Asks the tabs that have the token. `gone`: none has it any longer. `still`: one has it, and stands still.
   */
  async function ask(
    { lock, expiresAt }: ListedToken,
    cancelled: AbortSignal,
  ): Promise<MintedToken | 'gone' | 'still'> {
    const id = crypto.randomUUID()
    const askedAt = platform.now()
    const ended = new AbortController()
    const end = (): void => ended.abort()
    cancelled.addEventListener('abort', end)
    try {
      return await new Promise((resolve) => {
        asking.set(id, ({ value, streamUrl, expiresInMs }) => {
          const deadline = askedAt + expiresInMs
          const token = new SessionToken(value, () => platform.now() >= deadline)
          resolve({ token, streamUrl, expiresAt: new Date(expiresAt), deadline, from: 'tab' })
        })
        const gone = locks!.request(lock, { signal: ended.signal }, () => resolve('gone'))
        gone.catch(() => resolve('gone'))
        afterTurns(RESPONSE_TURNS, ended.signal, () => resolve('still'))
        post({ type: 'request', id, lock })
      })
    } finally {
      asking.delete(id)
      cancelled.removeEventListener('abort', end)
      end()
    }
  }

  /** Gets a token while this tab has the product's lock. */
  async function get(product: Product, options: MintOptions): Promise<MintedToken> {
    const still = new Set<string>()
    while (!options.fresh) {
      const listed = (await listTokens(product)).find(
        (one) => !still.has(one.lock) && isWanted(one, product, options),
      )
      if (!listed) break
      const response = await ask(listed, options.signal)
      options.signal.throwIfAborted()
      if (response === 'still') still.add(listed.lock)
      else if (response !== 'gone') {
        await list(product, response, listed.ttlMinutes)
        return response
      }
    }
    const minted = await mint(product, options)
    await list(product, minted, options.ttlMinutes ?? DEFAULT_TTL_MINUTES)
    return minted
  }

  /**
   * Lists a token that this tab has, in place of the one before. The next tab with the product's lock finds
   * it.
   */
  async function list(product: Product, minted: MintedToken, ttlMinutes: number): Promise<void> {
    withdraw(product)
    const expiresAt = minted.expiresAt.getTime()
    const lock = `${lockOf(product)} ${expiresAt} ${ttlMinutes}`
    await new Promise<void>((resolve) => {
      const held = locks!.request(
        lock,
        { mode: 'shared' },
        () =>
          new Promise<void>((release) => {
            if (signal.aborted) release()
            else own.set(product, { lock, expiresAt, ttlMinutes, minted, release })
            resolve()
          }),
      )
      held.catch(() => resolve())
    })
  }

  function afterTurns(turns: number, ended: AbortSignal, callback: () => void): void {
    const startedAt = platform.now()
    let timer: TimerHandle | undefined
    const turn = (left: number): void => {
      timer = platform.setTimeout(() => {
        if (left > 1 && platform.now() - startedAt < LONGEST_WAIT_MS) turn(left - 1)
        else callback()
      }, TURN_MS)
    }
    turn(turns)
    ended.addEventListener('abort', () => platform.clearTimeout(timer))
  }

  return async function mintShared(product, options) {
    const waiting = new AbortController()
    const leave = (): void => waiting.abort()
    options.signal.addEventListener('abort', leave)
    afterTurns(LOCK_TURNS, waiting.signal, leave)
    let hasLock = false
    try {
      return await locks.request(lockOf(product), { signal: waiting.signal }, () => {
        hasLock = true
        leave()
        return get(product, options)
      })
    } catch (error) {
      // The holder of the lock stands still, or this page may not lock: this tab asks for itself. A failed
      // request stays one.
      if (hasLock || options.signal.aborted) throw error
      const minted = await mint(product, options)
      await list(product, minted, options.ttlMinutes ?? DEFAULT_TTL_MINUTES)
      return minted
    } finally {
      leave()
      options.signal.removeEventListener('abort', leave)
    }
  }
}
