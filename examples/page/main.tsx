import { createRoot } from 'react-dom/client'
import { SignIn } from '../login/SignIn'
import { Workplace } from './Workplace'

// What the signed-in user has, or the sign-in.
const { user } = (await (await fetch('/me')).json()) as { user: string | null }
const root = createRoot(document.getElementById('root')!)
root.render(user === null ? <SignIn /> : <Workplace user={user} />)
