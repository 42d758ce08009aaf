import { type Product, PRODUCTS } from '@stagepass/contract'
import type { Platform } from '../platform/platform.js'
import type { Mint, MintedToken } from './createMint.js'
import { SessionToken } from './SessionToken.js'
import type { TokenSource } from './TokenSource.js'

/*
 * One mint for all tabs of a site. A tab that needs a token takes the product's Web Lock, asks the other tabs over a BroadcastChannel, and
 * mints only where none of them has one with some life before its renewal. The next tab in line then finds the token that this one minted.
 *
 *   tab 1   lock ── ask ── nobody answers ── mint ── unlock
 *   tab 2   lock ............................................ ask ── tab 1 answers ── unlock
 *
 * Nothing is pushed and nothing is stored: a message that a frozen tab reads an hour later must not bring a token with an old count of its
 * life. An answer's life is counted from the moment of asking, by the clock of the tab that asked.
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
  | { readonly type: 'clear' }

export interface TabShare {
  readonly mint: Mint
  /** Tells the other tabs to forget too: what they hold belongs to the user who left. */
  clear(): void
}

export interface CreateTabShareOptions {
  /** Tabs with the same name share. */
  readonly name: string
  readonly mint: Mint
  readonly tokens: (product: Product) => TokenSource
  readonly platform: Platform
  /** Another tab has cleared. */
  readonly onClear: () => void
}

/** How long the other tabs have to answer. They are on this machine. */
const ANSWER_MS = 200

/** How long to stand in line behind the other tabs before minting alone. */
const LINE_MS = 10_000

/** Shares where the browser can, and mints for this tab alone where it cannot. */
export function createTabShare({ name, mint, tokens, platform, onClear }: CreateTabShareOptions): TabShare {
  const locks = typeof navigator === 'undefined' ? undefined : (navigator.locks as LockManager | undefined)
  if (!locks || typeof BroadcastChannel === 'undefined') return { mint, clear() {} }

  const channel = new BroadcastChannel(name)
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin alone
  const post = (message: Message): void => channel.postMessage(message)
  /** The life that the token in hand was asked for, which others may not want so long. */
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
      case 'clear':
        onClear()
        break
      default:
        data satisfies never
    }
  })

  function answer({ id, product, ttlMinutes: wished = Infinity }: Message & { type: 'ask' }): void {
    const state = tokens(product).state()
    const ttlMinutes = askedFor.get(product) ?? PRODUCTS[product].ttlMinutes.default
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

  function askOthers(product: Product, ttlMinutes: number | undefined): Promise<MintedToken | undefined> {
    const id = crypto.randomUUID()
    const askedAt = platform.now()
    return new Promise((resolve) => {
      const end = (minted?: MintedToken): void => {
        asking.delete(id)
        platform.clearTimeout(timer)
        resolve(minted)
      }
      const timer = platform.setTimeout(() => end(), ANSWER_MS)
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
    askedFor.set(product, options.ttlMinutes ?? PRODUCTS[product].ttlMinutes.default)
    return minted
  }

  return {
    async mint(product, options) {
      const line = new AbortController()
      const timer = platform.setTimeout(() => line.abort(), LINE_MS)
      const leave = (): void => line.abort()
      options.signal.addEventListener('abort', leave)
      let isIn = false
      try {
        return await locks.request(`${name} ${product}`, { signal: line.signal }, async () => {
          isIn = true
          const shared = options.fresh ? undefined : await askOthers(product, options.ttlMinutes)
          return shared ?? (await mintFirst(product, options))
        })
      } catch (error) {
        // The line did not move, or this page may not lock: then for this tab alone. A failed mint is a failed mint.
        if (isIn || options.signal.aborted) throw error
        return await mintFirst(product, options)
      } finally {
        platform.clearTimeout(timer)
        options.signal.removeEventListener('abort', leave)
      }
    },
    clear: () => post({ type: 'clear' }),
  }
}
