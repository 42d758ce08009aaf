import { createLogin } from '../../login/login'
import type { Route } from './+types/loginRoute'

export const action = ({ request }: Route.ActionArgs) => createLogin().signIn(request)
