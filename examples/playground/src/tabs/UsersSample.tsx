import { useStream, VoiceProvider } from '@stagepass/react'
import { MeetingsList } from '@stagepass/registry/meetings-list'
import type { ReactNode } from 'react'
import { useState } from 'react'
import type { SampleProps } from './Tab.js'

const USERS = [
  ['ada', 'Ada'],
  ['ben', 'Ben'],
  [null, 'Nobody'],
] as const

export function UsersSample({ voice, signIn }: SampleProps): ReactNode {
  const [user, setUser] = useState<'ada' | 'ben' | null>('ada')
  const [note, setNote] = useState('')

  return (
    <VoiceProvider
      client={voice}
      user={user}
      // The session belongs to another user: a page would ask for its session again.
      onUserChanged={() => {
        setNote('Another tab has signed in as Ben. This page follows.')
        setUser('ben')
      }}
    >
      <fieldset>
        <legend>Signed in</legend>
        {USERS.map(([id, name]) => (
          <label key={name}>
            <input
              type="radio"
              name="user"
              checked={user === id}
              onChange={() => {
                setNote('')
                signIn(id)
                setUser(id)
              }}
            />
            {name}
          </label>
        ))}
      </fieldset>
      <button
        className="act"
        disabled={user !== 'ada'}
        onClick={() => signIn('ben')}
      >
        Ben signs in, in another tab
      </button>
      <p role="status">{note}</p>
      <Mine />
    </VoiceProvider>
  )
}

function Mine(): ReactNode {
  const stream = useStream('stt')
  return (
    <>
      <p>
        The stream is <strong>{stream.status}</strong>.
      </p>
      <MeetingsList filters={[]} />
    </>
  )
}
