import type { Product } from '@stagepass/contract'

/** How a product is shown here, and what can be sent to it. */
export interface DemoProduct {
  readonly product: Product
  readonly purpose: string
  readonly takes: 'sound' | 'text'
  /**
   * Silence after the recording, in milliseconds. A microphone would send it too: the last sentence ends in
   * it.
   */
  readonly silenceMs: number
  /** Shown until something has come back. */
  readonly placeholder: string
}

/** The first words of public/recordings/sense-and-sensibility.wav. */
export const RECORDING_WORDS =
  'And Mr John Dashwood had then leisure to consider how much there might be prudently in his power to do for them.'

export const DEMO_PRODUCTS: readonly DemoProduct[] = [
  {
    product: 'stt',
    purpose: 'Speech in, captions out.',
    takes: 'sound',
    silenceMs: 1_000,
    placeholder: 'Captions appear here as they are heard.',
  },
  {
    product: 'tts',
    purpose: 'Text in, a voice out.',
    takes: 'text',
    silenceMs: 0,
    placeholder: 'What was spoken appears here.',
  },
  {
    product: 'vt',
    purpose: 'English in, Spanish out: captions and voice.',
    takes: 'sound',
    // The emulator speaks the translation for as long as it receives sound.
    silenceMs: 5_000,
    placeholder: 'Both languages appear here as they are heard.',
  },
  {
    product: 'viva',
    purpose: 'A noisy voice in, the voice alone out.',
    takes: 'sound',
    silenceMs: 0,
    placeholder: 'Compare the two halves of the waveform: what lies between the words is turned down.',
  },
]
