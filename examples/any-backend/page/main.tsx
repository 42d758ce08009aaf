import { createVoiceClient, useMeetings, useStream, useStreamValue, VoiceProvider } from '@stagepass/react'
import { captions } from '@stagepass/react/codecs'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'

const queries = new QueryClient()
const voice = createVoiceClient({ url: '/api/voice' })

/** Reads the emulator's messages. */
const codec = captions()

/** A tone of 100 ms, 16 kHz, in place of a microphone. */
const TONE = Int16Array.from({ length: 1_600 }, (_, at) => 12_000 * Math.sin(at / 8)).buffer

function Voice() {
  // Closed until the press: an open stream costs minutes (docs/speech.md#silence).
  const stream = useStream('stt', { codec, enabled: false })
  const text = useStreamValue(stream, (message) => message.text)
  const { meetings } = useMeetings()
  const speak = (): void => {
    stream.open()
    for (let frame = 0; frame < 20; frame += 1) stream.send(TONE)
  }
  return (
    <>
      <button onClick={speak}>Speak</button>
      <p>The stream is {stream.status}.</p>
      <p id="captions">{text}</p>
      <ul>
        {meetings?.slice(0, 3).map(({ id, title }) => (
          <li key={id}>{title}</li>
        ))}
      </ul>
      {stream.error && <p role="alert">{stream.error.message}</p>}
    </>
  )
}

function App() {
  const [user, setUser] = useState<string | null>()
  useEffect(() => {
    void fetch('/me')
      .then((response) => response.json() as Promise<{ user: string | null }>)
      .then((me) => setUser(me.user))
  }, [])
  const signIn = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const response = await fetch('/login', { method: 'POST', body: new FormData(event.currentTarget) })
    setUser(response.ok ? ((await response.json()) as { user: string }).user : null)
  }
  const signOut = async (): Promise<void> => {
    await fetch('/logout', { method: 'POST' })
    setUser(null)
  }
  if (user === undefined) return null
  return (
    <VoiceProvider client={voice} user={user}>
      {user === null ? (
        <form onSubmit={(event) => void signIn(event)}>
          <input name="user" aria-label="User" />
          <input name="password" type="password" aria-label="Password" />
          <button>Sign in</button>
        </form>
      ) : (
        <>
          <h1>{user}</h1>
          <Voice />
          <button onClick={() => void signOut()}>Sign out</button>
        </>
      )}
    </VoiceProvider>
  )
}

createRoot(document.getElementById('root')!).render(
  <QueryClientProvider client={queries}>
    <App />
  </QueryClientProvider>,
)
