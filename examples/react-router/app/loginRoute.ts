import type { Route } from './+types/loginRoute'
import { signIn } from './login.server'

export const action = ({ request }: Route.ActionArgs) => signIn(request)
