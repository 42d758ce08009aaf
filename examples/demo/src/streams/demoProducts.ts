import type { Product } from '@stagepass/contract'

/** How a product is shown here, and what can be sent to it. */
export interface DemoProduct {
  readonly product: Product
  readonly purpose: string
  readonly takes: 'sound' | 'text'
  /** Shown until something has come back. */
  readonly silence: string
}

/** The words of public/recordings/sense-and-sensibility.wav. */
export const RECORDING_WORDS =
  'And Mr John Dashwood had then leisure to consider how much there might be prudently in his power to do for them.'

export const DEMO_PRODUCTS: readonly DemoProduct[] = [
  {
    product: 'stt',
    purpose: 'Speech in, captions out.',
    takes: 'sound',
    silence: 'Captions appear here as they are heard.',
  },
  {
    product: 'tts',
    purpose: 'Text in, a voice out.',
    takes: 'text',
    silence: 'What was spoken appears here.',
  },
  {
    product: 'vt',
    purpose: 'English in, Spanish out: captions and voice.',
    takes: 'sound',
    silence: 'Both languages appear here as they are heard.',
  },
  {
    product: 'viva',
    purpose: 'A noisy voice in, the voice alone out.',
    takes: 'sound',
    silence: 'Compare the two halves of the waveform: what lies between the words is turned down.',
  },
]
