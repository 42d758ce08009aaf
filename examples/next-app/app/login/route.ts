export { signIn as POST } from '../../lib/login'
