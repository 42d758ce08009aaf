import type { UnavailableReason } from './Recording.js'
import type { SoundCopy, StreamOfSound } from './SoundCopy.js'

/** A chunk of its own, so that only streams with the option load it. */
const load = () => import('./createRecorder.js')

/** Keeps the sound of a journal on the disk too. */
export function keepRecording(stream: StreamOfSound): SoundCopy {
  const { client, product, key } = stream
  const report = (reason: UnavailableReason): void =>
    client.emit({ type: 'recovery.unavailable', reason, product, key, at: client.platform.wallNow() })
  let recorder: SoundCopy | undefined
  /** Until the code is loaded. */
  let early: ((on: SoundCopy) => void)[] = []
  load()
    .then(({ createRecorder }) => {
      recorder = createRecorder({ ...stream, report })
      for (const act of early) act(recorder)
    })
    .catch(() => {
      recorder = { added: () => {}, released: () => {} }
      report('code')
    })
    .finally(() => (early = []))
  return {
    added(position, pcm, saidAt, isUnfinished) {
      if (recorder) recorder.added(position, pcm, saidAt, isUnfinished)
      else {
        const copy = pcm.slice()
        early.push((on) => on.added(position, copy, saidAt, isUnfinished))
      }
    },
    released(position, reason, isUnfinished) {
      if (recorder) recorder.released(position, reason, isUnfinished)
      else early.push((on) => on.released(position, reason, isUnfinished))
    },
  }
}
