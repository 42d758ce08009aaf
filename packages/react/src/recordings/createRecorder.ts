import { onAbort } from '../events/onAbort.js'
import { vaultOf } from './createVault.js'
import type { RecorderOptions, SoundCopy } from './keepRecording.js'
import { LEAST_MS, lockOf, type Recording, type UnavailableReason } from './Recording.js'
import { replaysOf } from './replaysOf.js'

/** A piece is written when it has this length. So much is lost if the page is killed. */
const PIECE_MS = 100
/** Quiet that is no longer kept is deleted in steps of this length. */
const QUIET_MS = 1_000

interface Current {
  readonly recording: Recording
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
 * Nothing waits for it: the pieces are encrypted and written beside the way of the frames.
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
  let movedTo = 0
  let piece = emptyPiece(0, 0)

  function emptyPiece(position: number, saidAt: number) {
    return { position, saidAt, samples: 0, pcm: new Uint8Array(2 * pieceSamples) }
  }

  function turnOff(reason?: UnavailableReason): void {
    if (isOff) return
    isOff = true
    piece = emptyPiece(0, 0)
    current?.unlock()
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
    const startedAt = platform.wallNow() - platform.now() + saidAt
    const recording = { id, url, user: client.user as string, product, key, sampleRate, startedAt, seam }
    return { recording, unlock, last }
  }

  /** Makes a change after those before. */
  function change(on: Current, act: (made: NonNullable<typeof vault>) => Promise<unknown>): void {
    on.last = on.last.then(() => (isOff || !vault ? undefined : act(vault)))
    on.last.catch(failed)
  }

  function write(): void {
    const { pcm, ...rest } = piece
    piece = emptyPiece(0, 0)
    if (rest.samples === 0 || rest.position + rest.samples <= seam) return
    const on = (current ??= begin(rest.saidAt))
    const saidAt = platform.wallNow() - platform.now() + rest.saidAt
    const { id } = on.recording
    change(on, (made) => made.write(on.recording, { ...rest, id, saidAt }, pcm.subarray(0, 2 * rest.samples)))
  }

  function moveSeam(): void {
    if (!current) return
    const { id } = current.recording
    const to = (movedTo = seam)
    change(current, (made) => made.moveSeam(id, to))
  }

  /** The stream has ended. */
  function end(): void {
    write()
    const ended = current
    current = undefined
    if (!ended) return
    change(ended, async (made) => {
      const { id } = ended.recording
      const rest = await made.rangeOf({ ...ended.recording, seam })
      if (!rest || rest.to - rest.from < samplesOf(LEAST_MS)) await made.remove(id)
      ended.unlock()
      made.changed()
    })
  }

  if (vault) vault.ready().catch(failed)
  else turnOff('user')
  onAbort(signal, turnOff)

  return {
    added(position, pcm, saidAt) {
      if (isOff) return
      const replay = replays.get(product, key)
      if (replay) {
        replay.position ??= position
        return
      }
      for (let done = 0; done < pcm.byteLength;) {
        const at = position + done / 2
        // Frames of a replay were left out.
        if (piece.samples > 0 && piece.position + piece.samples !== at) write()
        if (piece.samples === 0) piece = emptyPiece(at, saidAt + (1_000 * done) / 2 / sampleRate)
        const part = pcm.subarray(done, done + 2 * (pieceSamples - piece.samples))
        piece.pcm.set(part, 2 * piece.samples)
        piece.samples += part.byteLength / 2
        done += part.byteLength
        if (piece.samples === pieceSamples) write()
      }
    },
    released(position, reason) {
      if (isOff) return
      if (reason === 'final' || reason === 'quiet') {
        const { position: from = position, released } = replays.get(product, key) ?? {}
        released?.(position - from)
        seam = position
        if (reason === 'final' || seam - movedTo >= samplesOf(QUIET_MS)) moveSeam()
      }
      if (reason === 'over') end()
    },
  }
}
