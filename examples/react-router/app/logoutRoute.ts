import type { Route } from './+types/logoutRoute'
import { signOut } from './login.server'

export const action = ({ request }: Route.ActionArgs) => signOut(request)
