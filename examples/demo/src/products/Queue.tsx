import { createVoiceClient, VoiceProvider } from '@stagepass/react'
import { selectText, useTranscript } from '@stagepass/react/transcript'
import { VoiceSession } from '@stagepass/registry/voice-session'
import { type ReactNode, useId, useState } from 'react'
import { VISITOR_HEADER, VISITORS } from '../visitors.js'
import type { WireLog } from '../wire/createWireLog.js'
import { describeEvent, tapFetch } from '../wire/describe.js'
import { useRecordedSession } from './useRecordedSession.js'

/** Two pages of two users, with one session for both. */
export function Queue({ log }: { readonly log: WireLog }): ReactNode {
  const id = useId()
  const [pages] = useState(() => VISITORS.map((visitor) => ({ visitor, client: createPage(visitor, log) })))
  return (
    <article className="card product queue" aria-labelledby={id}>
      <header>
        <h2 id={id}>Two visitors, one session</h2>
        <p className="purpose">
          Each visitor has a page of its own, and their account may have one session at a time. Start both:
          the second waits for its turn, and begins by itself when you end the first.
        </p>
      </header>
      <div className="visitors">
        {pages.map(({ visitor, client }) => (
          <VoiceProvider key={visitor} client={client}>
            <Visitor name={visitor} />
          </VoiceProvider>
        ))}
      </div>
    </article>
  )
}

const createPage = (visitor: string, log: WireLog) =>
  createVoiceClient({
    url: '/api/queue',
    headers: () => ({ [VISITOR_HEADER]: visitor }),
    fetch: tapFetch(log),
    onEvent: (event) => log.add(describeEvent(event)),
  })

function Visitor({ name }: { readonly name: string }): ReactNode {
  const session = useRecordedSession()
  const { segments } = useTranscript(session.stream, { select: selectText })
  return (
    <div>
      <VoiceSession session={session} name={name} />
      <p className="said">{segments.at(-1)?.text}</p>
    </div>
  )
}
