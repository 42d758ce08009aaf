import { createLogin } from '../../login/login'
import { remoteAddress } from '../../login/remoteAddress'
import type { Route } from './+types/loginRoute'

export const action = ({ request }: Route.ActionArgs) => createLogin().signIn(request, remoteAddress())
