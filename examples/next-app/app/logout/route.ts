import { login } from '../../lib/login'

export const POST = login.signOut
