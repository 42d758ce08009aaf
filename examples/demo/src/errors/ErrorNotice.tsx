import type { VoiceError } from '@stagepass/react'
import type { ReactNode } from 'react'
import { adviceFor } from './adviceFor.js'

interface ErrorNoticeProps {
  readonly error: VoiceError
  /** What the person can press. */
  readonly action?: ReactNode
  /** It will pass by itself: said quietly. */
  readonly passing?: boolean
}

/** What went wrong, what to do about it, and what to quote to support. */
export function ErrorNotice({ error, action, passing = false }: ErrorNoticeProps): ReactNode {
  return (
    <div className={passing ? 'notice waiting' : 'notice'} role={passing ? 'status' : 'alert'}>
      <strong>{firstSentence(error.message)}</strong>
      <p>{adviceFor(error.code)}</p>
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

/** The rest of a message is general advice; ours knows this page. */
function firstSentence(message: string): string {
  return message.split(/(?<=\.) /)[0] ?? message
}
