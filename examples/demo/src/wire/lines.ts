import type { LineName } from './createWireLog.js'

interface LineWords {
  /** Its ends, for the menu of the log. */
  readonly title: string
  /** What is sent, for the picture. */
  readonly words: string
}

export const LINES: Readonly<Record<LineName, LineWords>> = {
  request: { title: 'Page to your server', words: '1. asks for a token' },
  upstream: { title: 'Your server to the service', words: '2. asks with the key' },
  stream: { title: 'Page to the service', words: '3. speaks and listens, with the token' },
}
