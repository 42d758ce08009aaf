import { useStream } from '@stagepass/react'
import { voiceTranslation } from '@stagepass/react/codecs'
import { selectTranscript, selectTranslation, type TranscriptText } from '@stagepass/react/transcript'
import { type ReactNode, useEffect } from 'react'
import { Captions } from '../items/captions'
import { type Story, until } from './Story'

const ENGLISH_TO_SPANISH = voiceTranslation({
  source_language: 'en-US',
  target_language: 'es-ES',
  voice: 'female',
})

/** The texts come as they are. */
const select = (message: unknown): TranscriptText => JSON.parse(String(message)) as TranscriptText

function Show(): ReactNode {
  // The reader's settings of one story must not reach the next one.
  useEffect(() => () => localStorage.removeItem('stagepass-captions'), [])
  return <Captions stream={useStream('stt')} select={select} />
}

type Stage = Parameters<NonNullable<Story['play']>>[0]

/** Lets the service say texts, and waits until the page shows the last one. */
export async function hear({ voice, element }: Stage, ...texts: readonly TranscriptText[]): Promise<void> {
  const socket = await until(() => voice.emulator.sockets[0])
  for (const text of texts) socket.send(JSON.stringify(text))
  const last = texts.at(-1)?.text ?? ''
  const newest = '[role=list] > :last-child > :last-child > [lang]'
  await until(() => element.querySelector(newest)?.textContent.startsWith(last))
}

/** Chooses as a reader does. */
export function choose(element: HTMLElement, label: string, words: string): void {
  const menu = [...element.querySelectorAll('select')].find(({ labels }) =>
    labels[0]?.textContent.startsWith(label),
  )
  const option = [...(menu?.options ?? [])].find(({ text }) => text === words)
  if (!menu || !option) throw new Error(`Failed to choose ${words}: there is no such ${label}.`)
  menu.value = option.value
  menu.dispatchEvent(new Event('change', { bubbles: true }))
}

/** A final text in English, if nothing else is said. */
export const line = (text: string, more: Partial<TranscriptText> = {}): TranscriptText => ({
  text,
  final: true,
  language: 'en',
  ...more,
})

const MORNING = [
  'Good morning, and thank you for coming.',
  'We start with the numbers of last week.',
  'They are better than we had hoped.',
]

/** Returns this number of lines, of different lengths. */
const lines = (count: number): TranscriptText[] =>
  Array.from({ length: count }, (_, index) => line(`${index + 1}. ${MORNING[index % MORNING.length]}`))

const hearMorning = (stage: Stage): Promise<void> =>
  hear(stage, ...MORNING.map((text) => line(text)), line('We shipped the new', { final: false }))

/** What is said in English, and its translation, from one stream. */
export const TwoLanguages: Story = {
  title: 'Two languages side by side',
  Show: function Translated() {
    const stream = useStream('vt', { codec: ENGLISH_TO_SPANISH })
    return (
      <div
        style={{
          display: 'grid',
          gap: '1rem',
          gridTemplateColumns: 'repeat(auto-fit, minmax(min(15rem, 100%), 1fr))',
        }}
      >
        <Captions stream={stream} select={selectTranscript} label="English" />
        <Captions stream={stream} select={selectTranslation} label="Español" />
      </div>
    )
  },
  play: async ({ voice, element }) => {
    // Before its configuration, the service is not ready, and texts are not shown.
    await until(() => voice.emulator.frames.length > 0)
    const [socket] = voice.emulator.sockets
    socket?.send(JSON.stringify({ transcript: { text: 'Good morning.', final: true } }))
    socket?.send(JSON.stringify({ translate: { text: 'Buenos días.', final: true } }))
    await until(() => element.textContent.includes('Buenos días.'))
  },
}

export const Growing: Story = { title: 'A line that grows', Show, play: hearMorning }

export const Nothing: Story = { title: 'Nothing heard yet', Show }

export const Speakers: Story = {
  title: 'Several speakers and languages',
  Show,
  play: (stage) =>
    hear(
      stage,
      line('Good morning. Can all of you hear me?', { speaker: 'Ada' }),
      line('I see three of you, and wait for one more.', { speaker: 'Ada' }),
      line('صباح الخير، أسمعك جيدا. هل نبدأ؟', { speaker: 'ليلى', language: 'ar' }),
      line('おはようございます。はい、よく聞こえます。', { speaker: '健太', language: 'ja' }),
      line('בוקר טוב, גם אני', { speaker: 'Noa', language: 'he', final: false }),
    ),
}

export const ScrolledBack: Story = {
  title: 'The reader has scrolled back',
  Show,
  play: async (stage) => {
    await hear(stage, ...lines(60))
    const box = await until(() => stage.element.querySelector('[role=group]'))
    await until(() => box.scrollTop > 0)
    box.scrollTop = 200
    await until(() => stage.element.querySelector('button'))
    await hear(stage, line('61. This one is below.'))
  },
}

export const TenThousand: Story = {
  title: 'Ten thousand lines',
  Show,
  play: (stage) => hear(stage, ...lines(10_000)),
}

export const LargeHighContrast: Story = {
  title: 'Very large, with high contrast',
  Show,
  play: async (stage) => {
    await hearMorning(stage)
    const { element } = stage
    element.querySelector('summary')?.click()
    choose(element, 'Text size', 'Very large')
    choose(element, 'Background', 'Black')
    choose(element, 'Contrast', 'High')
    await until(() => element.querySelector('[data-contrast=high]'))
  },
}
