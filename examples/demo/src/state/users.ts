/** The demo's users; what each may do is in server/authorize.ts. */
export const DEMO_USERS = {
  ada: 'Ada: everything',
  ben: 'Ben: speech-to-text, own meetings',
  nobody: 'Signed out',
} as const

export type DemoUser = keyof typeof DEMO_USERS

export const isDemoUser = (value: string): value is DemoUser => Object.hasOwn(DEMO_USERS, value)
