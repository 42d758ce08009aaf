import { createLogin } from '../login/login'

/** When the server starts. The login then refuses production at once, not at the first visit. */
export async function register(): Promise<void> {
  createLogin()
  // Next.js compiles this file for its Edge Runtime too, which has no modules of Node.
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const { watchRemoteAddresses } = await import('../login/remoteAddress')
  watchRemoteAddresses()
}
