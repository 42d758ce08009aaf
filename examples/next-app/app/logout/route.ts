export { signOut as POST } from '../../lib/login'
