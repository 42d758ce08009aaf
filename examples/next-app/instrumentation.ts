import { createLogin } from '../login/login'

/** When the server starts. The login then refuses production at once, not at the first visit. */
export const register = (): void => void createLogin()
