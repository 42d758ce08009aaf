import type { Route } from './+types/loginRoute'
import { login } from './login.server'

export const action = ({ request }: Route.ActionArgs) => login.signIn(request)
