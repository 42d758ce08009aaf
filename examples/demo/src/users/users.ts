/** The demo's users; what each may do is in server/authorize.ts. */
export const DEMO_USERS = {
  ada: { name: 'Ada', may: 'All products, all meetings' },
  ben: { name: 'Ben', may: 'Speech-to-Text for 30 minutes a day, three fields of his own meetings' },
} as const satisfies Record<string, { readonly name: string; readonly may: string }>

export type DemoUser = keyof typeof DEMO_USERS

// Object.keys forgets the type of the keys.
export const DEMO_USER_IDS = Object.keys(DEMO_USERS) as readonly DemoUser[]
