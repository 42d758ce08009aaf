import { onAbort } from '../events/onAbort.js'
import { vaultOf } from './createVault.js'
import { LEAST_MS, lockOf, type PlainPiece, type Recording, type UnavailableReason } from './Recording.js'
import { replaysOf } from './replaysOf.js'
import type { RecorderOptions, SoundCopy } from './SoundCopy.js'

/** A piece is written when it has this length. So much is lost if the page is killed. */
const PIECE_MS = 100

interface Current {
  readonly recording: Omit<Recording, 'seam' | 'hasWords'>
  /** Pieces to write. Those that come while others are written are written together. */
  readonly waiting: PlainPiece[]
  /** What comes before is no longer kept. */
  seam: number
  /** On the disk there is a word after it. */
  hasWords: boolean
  /** These two are on the disk. */
  isWritten: boolean
  /** Other pages may offer it. */
  readonly unlock: () => void
  /** The change before. They are made one after another. */
  last: Promise<unknown>
}

/**
 * Writes the sound of a journal to the disk, until its text is final.
 *
 *   idle ──sound──▶ recording ──the stream ends──▶ idle. What is not final stays, and is offered
 *   any ──an error──▶ off, with one event. The journal in memory goes on
 *   any ──the user changes──▶ off. The vault deletes everything
 *
 * Quiet is written only if a word follows within 300 ms, as the journal keeps it. Nothing waits for the disk: the
 * pieces are encrypted and written later.
 */
export function createRecorder({ client, product, key, sampleRate, report }: RecorderOptions): SoundCopy {
  const { platform, signal } = client
  const vault = vaultOf(client)
  const replays = replaysOf(client)
  const samplesOf = (ms: number): number => Math.round((ms * sampleRate) / 1_000)
  const pieceSamples = samplesOf(PIECE_MS)

  let isOff = false
  let current: Current | undefined
  /** What comes before is no longer kept. */
  let seam = 0
  /** A word comes after it. */
  let hasWords = false
  /** The journal has dropped its beginning, and still has the rest. `heardFrom`: where the rest begins. */
  let overflowed: { readonly on: Current; heardFrom: number; readonly end: number } | undefined
  /** Pieces that are complete. */
  let waiting: PlainPiece[] = []
  let piece = emptyPiece(0, 0)
  /** End of all sound. */
  let addedTo = 0

  function emptyPiece(position: number, saidAt: number) {
    return { position, saidAt, samples: 0, pcm: new Uint8Array(2 * pieceSamples) }
  }

  /** Milliseconds since the epoch. */
  const epochOf = (at: number): number => platform.wallNow() - platform.now() + at

  function turnOff(reason?: UnavailableReason): void {
    if (isOff) return
    isOff = true
    waiting.length = 0
    piece = emptyPiece(0, 0)
    current?.unlock()
    overflowed?.on.unlock()
    if (reason) report(reason)
  }

  function failed(error: unknown): void {
    const isFull = (error as { name?: unknown } | null)?.name === 'QuotaExceededError'
    if (!signal.aborted) turnOff(isFull ? 'full' : 'storage')
  }

  function begin(saidAt: number): Current {
    const id = crypto.randomUUID()
    let unlock = (): void => {}
    const unlocked = new Promise<void>((resolve) => (unlock = resolve))
    const last = new Promise<void>((resolve, reject) => {
      const hold = (): Promise<void> => {
        resolve()
        return unlocked
      }
      navigator.locks.request(lockOf(id), hold).catch(reject)
    })
    const { url } = client
    const startedAt = epochOf(saidAt)
    const recording = { id, url, user: client.user as string, product, key, sampleRate, startedAt }
    return { recording, waiting, seam, hasWords: true, isWritten: false, unlock, last }
  }

  /** Makes a change after those before. */
  function change(on: Current, act: (made: NonNullable<typeof vault>) => Promise<unknown>): void {
    on.last = on.last.then(() => (isOff || !vault ? undefined : act(vault)))
    on.last.catch(failed)
  }

  /** The piece is complete, or no frame follows it. */
  function endPiece(): void {
    const { pcm, samples, ...rest } = piece
    piece = emptyPiece(0, 0)
    if (samples > 0) waiting.push({ ...rest, samples, pcm: pcm.subarray(0, 2 * samples) })
  }

  /** Drops what is no longer kept, and writes the rest if there is a word in it. */
  function write(): void {
    while (waiting[0] && waiting[0].position + waiting[0].samples <= seam) waiting.shift()
    const [first] = waiting
    if (!first || !hasWords) return
    const on = (current ??= begin(first.saidAt))
    if (!on.hasWords) on.isWritten = false
    on.hasWords = true
    flush(on)
  }

  /** Writes the pieces that wait, and what has changed of the recording. */
  function flush(on: Current): void {
    change(on, async (made) => {
      const { recording, seam, hasWords, isWritten } = on
      const pieces = on.waiting.splice(0).map((one) => ({ ...one, saidAt: epochOf(one.saidAt) }))
      if (pieces.length === 0 && isWritten) return
      on.isWritten = true
      await made.write(recording.id, pieces, isWritten ? undefined : { ...recording, seam, hasWords })
    })
  }

  /**
   * The journal has dropped the sound before this position without a final text: it stays, as a recording of its
   * own.
   */
  function overflow(position: number): void {
    if (overflowed && position < overflowed.end) {
      overflowed.heardFrom = position
      return
    }
    offerOverflowed()
    if (!current) return
    endPiece()
    write()
    overflowed = { on: current, heardFrom: position, end: addedTo }
    current = undefined
    waiting = []
  }

  /** The text of the rest is final up to `seam`. */
  function trimOverflowed(): void {
    if (!overflowed) return
    const { on, heardFrom, end } = overflowed
    const to = seam < end ? seam : Infinity
    if (heardFrom < to) change(on, (made) => made.removePieces(on.recording.id, heardFrom, to))
    if (to === Infinity) offerOverflowed()
  }

  function offerOverflowed(): void {
    const done = overflowed?.on
    overflowed = undefined
    if (!done) return
    change(done, async (made) => {
      done.unlock()
      made.changed()
    })
  }

  /** The stream has ended. */
  function end(): void {
    offerOverflowed()
    endPiece()
    write()
    const ended = current
    const isKept = hasWords
    current = undefined
    waiting = []
    hasWords = false
    if (!ended) return
    change(ended, async (made) => {
      const { recording, seam } = ended
      const rest = isKept && (await made.rangeOf({ ...recording, seam, hasWords: true }))
      if (!rest || rest.to - rest.from < samplesOf(LEAST_MS)) await made.remove(recording.id)
      ended.unlock()
      made.changed()
    })
  }

  if (vault) vault.ready().catch(failed)
  else turnOff('user')
  onAbort(signal, turnOff)

  return {
    added(position, pcm, saidAt, isUnfinished) {
      if (isOff) return
      const replay = replays.get(product, key)
      if (replay) {
        replay.position ??= position
        return
      }
      hasWords = isUnfinished
      addedTo = position + pcm.byteLength / 2
      for (let done = 0; done < pcm.byteLength;) {
        const at = position + done / 2
        // Frames of a replay were left out.
        if (piece.samples > 0 && piece.position + piece.samples !== at) endPiece()
        if (piece.samples === 0) piece = emptyPiece(at, saidAt + (1_000 * done) / 2 / sampleRate)
        const part = pcm.subarray(done, done + 2 * (pieceSamples - piece.samples))
        piece.pcm.set(part, 2 * piece.samples)
        piece.samples += part.byteLength / 2
        done += part.byteLength
        if (piece.samples === pieceSamples) endPiece()
      }
      if (waiting.length > 0) write()
    },
    released(position, reason, isUnfinished) {
      if (isOff) return
      if (reason === 'over') return end()
      const replay = replays.get(product, key)
      if (reason === 'full' || reason === 'tried') {
        if (replay) replay.isCut = true
        return overflow(position)
      }
      if (replay && !replay.isCut) replay.released(position - (replay.position ?? position))
      seam = position
      hasWords = isUnfinished
      trimOverflowed()
      if (!current) return
      const isChanged = current.hasWords !== isUnfinished
      current.seam = position
      current.hasWords = isUnfinished
      current.isWritten = false
      // Quiet moves the seam at the next write.
      if (reason !== 'quiet' || isChanged) flush(current)
    },
  }
}
