import type { Route } from './+types/logoutRoute'
import { login } from './login.server'

export const action = ({ request }: Route.ActionArgs) => login.signOut(request)
