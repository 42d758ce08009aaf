import type { VoiceError } from '@stagepass/react'
import type { ReactNode } from 'react'

interface ErrorNoticeProps {
  readonly error: VoiceError
  /** What the person can press. */
  readonly action?: ReactNode
  /** It will pass by itself: said quietly. */
  readonly passing?: boolean
}

/** What went wrong, what to do about it, and what to quote to support; in development the hint too. */
export function ErrorNotice({ error, action, passing = false }: ErrorNoticeProps): ReactNode {
  const [title, ...advice] = error.message.split(/(?<=\.) /)
  const text = passing ? 'You need not do anything: this page tries again by itself.' : advice.join(' ')
  return (
    <div className={passing ? 'notice waiting' : 'notice'} role={passing ? 'status' : 'alert'}>
      <strong>{title}</strong>
      {text !== '' && <p>{text}</p>}
      {error.hint !== undefined && (
        <details>
          <summary>For the developer</summary>
          <p>{error.hint}</p>
        </details>
      )}
      <footer>
        <code>{error.code}</code>
        {error.field !== undefined && (
          <span>
            In: <code>{error.field}</code>
          </span>
        )}
        {error.reqId !== undefined && (
          <span>
            Quote to support: <code>{error.reqId}</code>
          </span>
        )}
        {error.reqId === undefined && error.requestId !== undefined && (
          <span>
            Request: <code>{error.requestId}</code>
          </span>
        )}
        {action}
      </footer>
    </div>
  )
}
