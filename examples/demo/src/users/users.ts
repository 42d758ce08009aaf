import type { Product } from '@stagepass/contract'
import { PRODUCT_NAMES } from '@stagepass/contract'

/**
 * The demo's users. `products` is both what the server allows (server/authorize.ts) and what the page offers.
 */
export const DEMO_USERS = {
  ada: { name: 'Ada', may: 'All products, all meetings', products: PRODUCT_NAMES },
  ben: {
    name: 'Ben',
    may: 'Speech-to-Text for 30 minutes a day, his own meetings without people and tags',
    products: ['stt'],
  },
} as const satisfies Record<
  string,
  { readonly name: string; readonly may: string; readonly products: readonly Product[] }
>

export type DemoUser = keyof typeof DEMO_USERS

// Object.keys forgets the type of the keys.
export const DEMO_USER_IDS = Object.keys(DEMO_USERS) as readonly DemoUser[]
