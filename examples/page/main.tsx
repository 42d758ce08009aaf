import { createRoot } from 'react-dom/client'
import { SignIn } from '../login/SignIn'
import { Workplace } from './Workplace'

// The workplace of the signed-in user, or the sign-in.
const { user } = (await (await fetch('/me')).json()) as { user: string | null }
const root = createRoot(document.getElementById('root')!)
root.render(user === null ? <SignIn /> : <Workplace user={user} />)
