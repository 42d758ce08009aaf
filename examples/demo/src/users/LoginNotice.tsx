import type { ReactNode } from 'react'
import type { LoginSnapshot } from './createLogin.js'

/** The server could not be asked. */
export function LoginNotice({ problem }: Pick<LoginSnapshot, 'problem'>): ReactNode {
  if (!problem) return null
  return (
    <div className="notice" role="alert">
      {problem.text}
      <footer>
        <button className="link" onClick={problem.retry}>
          Try again
        </button>
      </footer>
    </div>
  )
}
