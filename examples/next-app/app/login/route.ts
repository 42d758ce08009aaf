import { createLogin } from '../../../login/login'

export const POST = (request: Request): Promise<Response> => createLogin().signIn(request)
