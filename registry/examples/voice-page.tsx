import { VoicePage } from '../items/voice-page'

export function Page() {
  return <VoicePage onSignIn={() => location.reload()} />
}
