import { createRoot } from 'react-dom/client'
import { SignIn } from '../login/SignIn'
import { Workplace } from './Workplace'

/** Shows what the signed-in user has, or the sign-in. */
export async function showPage(element: HTMLElement): Promise<void> {
  const { user } = (await (await fetch('/me')).json()) as { user: string | null }
  createRoot(element).render(user === null ? <SignIn /> : <Workplace user={user} />)
}
