import { createLogin } from '../../login/login'
import type { Route } from './+types/logoutRoute'

export const action = ({ request }: Route.ActionArgs) => createLogin().signOut(request)
