import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useMeetings, useStream, VoiceProvider } from '@stagepass/react'
import { createTestVoice } from '@stagepass/react/testing'
import { toText, useTranscript } from '@stagepass/react/transcript'
import { Platform, Text, View } from 'react-native'
import { act, create } from 'react-test-renderer'

/* A component of an application, tested as its users do. */

function Dictation() {
  const stream = useStream('stt')
  const { segments } = useTranscript(stream, {
    select: (text) => ({ text: typeof text === 'string' ? text : '', final: true }),
  })
  const { meetings } = useMeetings({ search: 'road' })
  return (
    <View>
      <Text onPress={() => stream.send('Good morning')}>{stream.status}</Text>
      <Text>{toText(segments)}</Text>
      <Text>{meetings.map(({ title }) => title).join()}</Text>
    </View>
  )
}

/** Waits for real timers, in `act`, because the service is in this page. */
async function until(condition) {
  while (!condition()) await act(() => new Promise((resolve) => setTimeout(resolve, 20)))
}

test('createTestVoice works in a test of React Native', async () => {
  expect(Platform.OS).toBe('ios')
  const voice = createTestVoice({ meetings: [{ id: 'm1', title: 'Roadmap' }] })
  const queryClient = new QueryClient()
  let root
  await act(() => {
    root = create(
      <QueryClientProvider client={queryClient}>
        <VoiceProvider client={voice.client}>
          <Dictation />
        </VoiceProvider>
      </QueryClientProvider>,
    )
  })
  const texts = () => root.root.findAllByType(Text).map(({ props }) => props.children)
  await until(() => texts()[0] === 'open' && texts()[2] === 'Roadmap')
  expect(voice.events.map(({ type }) => type)).toContain('stream.opened')

  await act(() => voice.setUser(null))
  expect(texts()).toEqual(['idle', '', ''])
  await act(() => root.unmount())
  voice.close()
  // Its timers would keep Jest waiting for five minutes.
  queryClient.clear()
})
