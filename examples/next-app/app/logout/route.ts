import { createLogin } from '../../../login/login'

export const POST = (request: Request): Response => createLogin().signOut(request)
