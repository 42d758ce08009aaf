import { createLogin } from '../../../login/login'
import { remoteAddress } from '../../../login/remoteAddress'

export const POST = (request: Request): Promise<Response> => createLogin().signIn(request, remoteAddress())
