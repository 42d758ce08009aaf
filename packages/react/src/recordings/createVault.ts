import { createListeners } from '../events/createListeners.js'
import { onAbort } from '../events/onAbort.js'
import { throwIfAborted } from '../events/throwIfAborted.js'
import type { Client } from '../identity/Client.js'
import { perClient } from '../identity/perClient.js'
import { markRecordings } from './recordingsMark.js'
import { change, openStore, piecesOf, resultOf } from './openStore.js'
import { lockOf, type Piece, type PlainPiece, type Recording } from './Recording.js'

/** Older recordings are deleted. */
const LONGEST_LIFE_MS = 24 * 3_600_000
/** Pieces that are read at once. */
const BATCH = 50
const IV_BYTES = 12

/** What is encrypted with a piece, so that no piece can take the place of another one. */
const placeOf = ({ id, position }: Pick<Piece, 'id' | 'position'>): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(`${id} ${position}`)

/** True while a page records or sends it. */
async function isInUse(id: string): Promise<boolean> {
  const { held = [] } = await navigator.locks.query()
  return held.some(({ name, mode }) => name === lockOf(id) && mode === 'exclusive')
}

/** The casts: only `Recording` and `Piece` are written. */
const readAll = (database: IDBDatabase): Promise<Recording[]> =>
  resultOf(database.transaction('recordings').objectStore('recordings').getAll()) as Promise<Recording[]>

type Stores = Parameters<Parameters<typeof change>[2]>[0]

/** Deletes the pieces before the seam. */
async function trim(store: Stores, { id, seam }: Recording): Promise<void> {
  if (seam === 0) return
  // The last piece before the seam may end after it.
  const last = await resultOf(store('pieces').openKeyCursor(piecesOf(id, 0, seam), 'prev'))
  if (last) store('pieces').delete(piecesOf(id, 0, (last.key as [string, number])[1]))
}

/** Deletes the pieces without a recording, which a page writes after a sign-out in another tab. */
async function deleteOrphans(store: Stores): Promise<void> {
  let before = ''
  // In the order of the pieces.
  for (const id of (await resultOf(store('recordings').getAllKeys())) as string[]) {
    store('pieces').delete(IDBKeyRange.bound([before, Infinity], [id, 0], true, true))
    before = id
  }
  store('pieces').delete(IDBKeyRange.lowerBound([before, Infinity], true))
}

/** The encrypted recordings of a user. Everything rejects after the end of the identity. */
export type Vault = ReturnType<typeof createVault>

function createVault({ url, signal, platform }: Client, user: string) {
  const changes = createListeners()
  /** Recordings that a page uses now. */
  const used = new Set<string>()
  let opened: IDBDatabase | undefined
  const ready = start()
  // Each use gets the error.
  ready.catch(() => {})
  onAbort(signal, wipe)

  async function start(): Promise<{ readonly database: IDBDatabase; readonly key: CryptoKey }> {
    const fresh = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, [
      'encrypt',
      'decrypt',
    ])
    const database = await openStore()
    opened = database
    if (signal.aborted) wipe()
    throwIfAborted(signal)
    await deleteOld(database)
    throwIfAborted(signal)
    let key = fresh
    await change(database, ['keys'], async (store) => {
      const found = (await resultOf(store('keys').get([url, user]))) as { key: CryptoKey } | undefined
      if (found) key = found.key
      else store('keys').put({ url, user, key })
    })
    return { database, key }
  }

  /**
   * Deletes recordings that are too old, without a word, or another user's, and the keys that no other recording
   * needs.
   */
  async function deleteOld(database: IDBDatabase): Promise<void> {
    const old: Recording[] = []
    const owners = new Set([JSON.stringify([url, user])])
    for (const row of await readAll(database)) {
      const isForeign = row.url === url && row.user !== user
      const isOld = platform.wallNow() - row.startedAt > LONGEST_LIFE_MS
      if ((isForeign || isOld || !row.hasWords) && !(await isInUse(row.id))) old.push(row)
      else owners.add(JSON.stringify([row.url, row.user]))
    }
    await change(database, ['keys', 'recordings', 'pieces'], async (store) => {
      for (const owner of await resultOf(store('keys').getAllKeys()))
        if (!owners.has(JSON.stringify(owner))) store('keys').delete(owner)
      for (const { id } of old) store('recordings').delete(id)
      await deleteOrphans(store)
    })
  }

  /** In the turn of the sign-out: first the key, then the recordings. */
  function wipe(): void {
    if (!opened) return
    const failed = (): void => {}
    change(opened, ['keys'], (store) => store('keys').delete([url, user])).catch(failed)
    change(opened, ['recordings', 'pieces'], async (store) => {
      for (const row of (await resultOf(store('recordings').getAll())) as Recording[]) {
        if (row.url !== url || row.user !== user) continue
        store('recordings').delete(row.id)
        store('pieces').delete(piecesOf(row.id))
      }
    }).catch(failed)
    // After these changes.
    opened.close()
  }

  /** Tells the listeners when no page uses it any more. A page may also end by a crash. */
  async function awaitEnd(id: string): Promise<void> {
    if (used.has(id)) return
    used.add(id)
    // Rejects at the end of the identity.
    await navigator.locks.request(lockOf(id), { mode: 'shared', signal }, () => {}).catch(() => {})
    used.delete(id)
    if (!signal.aborted) changes.notify()
  }

  async function enter(): Promise<{ readonly database: IDBDatabase; readonly key: CryptoKey }> {
    const entered = await ready
    throwIfAborted(signal)
    return entered
  }

  return {
    /** Rejects if this page cannot keep recordings. */
    ready: async (): Promise<void> => void (await enter()),
    /** Calls the listener when the list may have changed. Returns a function that unsubscribes. */
    subscribe: changes.subscribe,
    /** Tells the listeners. */
    changed: changes.notify,
    /**
     * Adds pieces of a recording, and writes its row if it has changed, in one transaction. What comes before its
     * seam is no longer kept.
     */
    async write(id: string, pieces: readonly PlainPiece[], row?: Recording): Promise<void> {
      const { database, key } = await enter()
      const encrypt = async ({ pcm, ...rest }: PlainPiece): Promise<Piece> => {
        const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
        const piece = { ...rest, id, iv }
        const place = { name: 'AES-GCM', iv, additionalData: placeOf(piece) }
        return { ...piece, data: await crypto.subtle.encrypt(place, key, pcm) }
      }
      const encrypted = await Promise.all(pieces.map(encrypt))
      throwIfAborted(signal)
      const putAll = (store: Stores): void => {
        for (const piece of encrypted) store('pieces').put(piece)
      }
      // Most writes have no row, and each store costs time of the page.
      if (!row) return change(database, ['pieces'], putAll)
      markRecordings()
      await change(database, ['keys', 'recordings', 'pieces'], async (store) => {
        // Another tab may have deleted it.
        store('keys').put({ url, user, key })
        store('recordings').put(row)
        putAll(store)
        await trim(store, row)
      })
    },
    /** Removes the pieces from this sample to before another one, but for one that may end after it. */
    async removePieces(id: string, from: number, to: number): Promise<void> {
      const { database } = await enter()
      await change(database, ['pieces'], async (store) => {
        const last = await resultOf(store('pieces').openKeyCursor(piecesOf(id, from, to), 'prev'))
        const before = to === Infinity ? to : ((last?.key as [string, number] | undefined)?.[1] ?? from)
        if (from < before) store('pieces').delete(piecesOf(id, from, before))
      })
    },
    /** The recordings of a product that no page records or sends, the oldest first. */
    async list(product: string): Promise<Recording[]> {
      const { database } = await enter()
      const own: Recording[] = []
      for (const row of await readAll(database))
        if (row.url === url && row.user === user && row.product === product && row.hasWords)
          if (await isInUse(row.id)) void awaitEnd(row.id)
          else own.push(row)
      throwIfAborted(signal)
      return own.sort((one, other) => one.startedAt - other.startedAt)
    },
    /** Its sound from the seam on: the first sample, the one after the last, and when it was said. */
    async rangeOf({
      id,
      seam,
      sampleRate,
    }: Recording): Promise<{ from: number; to: number; saidAt: number } | undefined> {
      const { database } = await enter()
      const pieces = database.transaction('pieces').objectStore('pieces')
      const [first, last] = (
        await Promise.all(
          (['next', 'prev'] as const).map((way) => resultOf(pieces.openCursor(piecesOf(id), way))),
        )
      ).map((cursor) => cursor?.value as Piece | undefined)
      if (!first || !last) return undefined
      const from = Math.max(seam, first.position)
      const to = Math.max(from, last.position + last.samples)
      return { from, to, saidAt: first.saidAt + ((from - first.position) * 1_000) / sampleRate }
    },
    /** The sound from the seam on, piece by piece. */
    async *read({ id, seam }: Recording): AsyncGenerator<Int16Array<ArrayBuffer>> {
      for (let from = 0, isMore = true; isMore;) {
        const { database, key } = await enter()
        const store = database.transaction('pieces').objectStore('pieces')
        const pieces = (await resultOf(store.getAll(piecesOf(id, from), BATCH))) as Piece[]
        for (const piece of pieces) {
          const place = { name: 'AES-GCM', iv: piece.iv, additionalData: placeOf(piece) }
          const pcm = await crypto.subtle.decrypt(place, key, piece.data)
          throwIfAborted(signal)
          yield new Int16Array(pcm).subarray(Math.max(0, seam - piece.position))
          from = piece.position + 1
        }
        isMore = pieces.length === BATCH
      }
    },
    async remove(id: string): Promise<void> {
      const { database } = await enter()
      await change(database, ['recordings', 'pieces'], (store) => {
        store('recordings').delete(id)
        store('pieces').delete(piecesOf(id))
      })
      changes.notify()
    },
  }
}

/** Undefined if the application has set no user. */
export const vaultOf = perClient((client) =>
  typeof client.user === 'string' ? createVault(client, client.user) : undefined,
)
