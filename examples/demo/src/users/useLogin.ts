import { useEffect, useState, useSyncExternalStore } from 'react'
import type { Login, LoginSnapshot } from './createLogin.js'
import { createLogin } from './createLogin.js'

export type UseLogin = Login & LoginSnapshot

/** The login of the page. The functions are the same at each render. */
export function useLogin(): UseLogin {
  const [login] = useState(createLogin)
  useEffect(() => login.start(), [login])
  return { ...login, ...useSyncExternalStore(login.subscribe, login.snapshot) }
}
