import { DEFAULT_TTL_MINUTES, type Product } from '@stagepass/contract'
import type { Platform } from '../platform/platform.js'
import type { Mint, MintedToken } from './createMint.js'
import { SessionToken } from './SessionToken.js'
import type { TokenSource } from './TokenSource.js'

/*
 * One token request for all tabs of a user. A tab that needs a token takes the product's Web Lock and asks the
 * other tabs over a BroadcastChannel. If none of them has a token whose renewal is not due, it asks the BFF.
 * The next tab that gets the lock then finds this tab's token.
 *
 *   tab 1   lock ── ask ── no answer ── BFF ── unlock
 *   tab 2   lock ..................................... ask ── tab 1 answers ── unlock
 *
 * Tokens are sent only on request and never stored: a frozen tab may read a message an hour later, and the
 * token's remaining life in it would be wrong. The life in an answer counts from the time of the question, by
 * the clock of the tab that asked.
 */

type Message =
  | {
      readonly type: 'ask'
      readonly id: string
      readonly product: Product
      readonly ttlMinutes: number | undefined
    }
  | {
      readonly type: 'answer'
      readonly id: string
      readonly value: string
      readonly streamUrl: string
      readonly expiresAt: Date
      readonly expiresInMs: number
      readonly ttlMinutes: number
    }

export interface CreateTabShareOptions {
  /** Tabs with the same name share. It contains the user. (S37.) */
  readonly name: string
  readonly mint: Mint
  readonly tokens: (product: Product) => TokenSource
  readonly platform: Platform
  /** Aborts when the identity ends. */
  readonly signal: AbortSignal
}

/** How long to wait for the other tabs. They are on this machine, and perhaps there are none. */
const ANSWER_MS = 200

/** The same after a wait for the lock: another tab has just had it, and has a token unless its request failed. */
const SURE_ANSWER_MS = 2_000

/** How long to wait for the lock before this tab asks for itself. */
const LINE_MS = 10_000

/** Shares if the browser can; otherwise this tab asks for itself. */
export function createTabShare({ name, mint, tokens, platform, signal }: CreateTabShareOptions): Mint {
  const locks = typeof navigator === 'undefined' ? undefined : (navigator.locks as LockManager | undefined)
  if (!locks || typeof BroadcastChannel === 'undefined' || signal.aborted) return mint

  const channel = new BroadcastChannel(name)
  signal.addEventListener('abort', () => channel.close())
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin alone
  const post = (message: Message): void => channel.postMessage(message)
  /** The TTL that the current token was requested with. Other tabs may want a shorter one. */
  const askedFor = new Map<Product, number>()
  const asking = new Map<string, (message: Message & { type: 'answer' }) => void>()

  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    switch (data.type) {
      case 'ask':
        answer(data)
        break
      case 'answer':
        asking.get(data.id)?.(data)
        break
      default:
        data satisfies never
    }
  })

  function answer({ id, product, ttlMinutes: wished = Infinity }: Message & { type: 'ask' }): void {
    const state = tokens(product).state()
    const ttlMinutes = askedFor.get(product) ?? DEFAULT_TTL_MINUTES
    const now = platform.now()
    if (state.status !== 'success' || now >= state.renewAt || ttlMinutes > wished) return
    const { token, streamUrl, expiresAt, deadline } = state.live
    post({
      type: 'answer',
      id,
      value: token.value,
      streamUrl,
      expiresAt,
      expiresInMs: deadline - now,
      ttlMinutes,
    })
  }

  function askOthers(
    product: Product,
    ttlMinutes: number | undefined,
    waitMs: number,
  ): Promise<MintedToken | undefined> {
    const id = crypto.randomUUID()
    const askedAt = platform.now()
    return new Promise((resolve) => {
      const end = (minted?: MintedToken): void => {
        asking.delete(id)
        platform.clearTimeout(timer)
        resolve(minted)
      }
      const timer = platform.setTimeout(() => end(), waitMs)
      asking.set(id, (got) => {
        const deadline = askedAt + got.expiresInMs
        askedFor.set(product, got.ttlMinutes)
        end({
          token: new SessionToken(got.value, () => platform.now() >= deadline),
          streamUrl: got.streamUrl,
          expiresAt: got.expiresAt,
          deadline,
          from: 'tab',
        })
      })
      post({ type: 'ask', id, product, ttlMinutes })
    })
  }

  async function mintFirst(product: Product, options: Parameters<Mint>[1]): Promise<MintedToken> {
    const minted = await mint(product, options)
    askedFor.set(product, options.ttlMinutes ?? DEFAULT_TTL_MINUTES)
    return minted
  }

  return async function mintShared(product, options) {
    const line = new AbortController()
    const timer = platform.setTimeout(() => line.abort(), LINE_MS)
    const leave = (): void => line.abort()
    options.signal.addEventListener('abort', leave)
    const lockName = `${name} ${product}`
    let isIn = false
    const inLock = async (waitMs: number): Promise<MintedToken> => {
      isIn = true
      const shared = options.fresh ? undefined : await askOthers(product, options.ttlMinutes, waitMs)
      return shared ?? (await mintFirst(product, options))
    }
    try {
      const atOnce = await locks.request(lockName, { ifAvailable: true }, (lock) =>
        lock ? inLock(ANSWER_MS) : undefined,
      )
      return atOnce ?? (await locks.request(lockName, { signal: line.signal }, () => inLock(SURE_ANSWER_MS)))
    } catch (error) {
      // The lock was not granted, or this page may not lock: this tab asks for itself. A failed request
      // stays one.
      if (isIn || options.signal.aborted) throw error
      return await mintFirst(product, options)
    } finally {
      platform.clearTimeout(timer)
      options.signal.removeEventListener('abort', leave)
    }
  }
}
