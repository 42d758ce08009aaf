/*
 * The database of the recordings:
 *
 *   keys         a key for each user of each application (`url`). The browser does not export it
 *   recordings   `Recording`
 *   pieces       `Piece`, by recording and position
 *
 * Without its key no piece can be read, so a key is deleted before the recordings of its user.
 */

const NAME = 'stagepass'

/** Resolves with the result of a request. */
export const resultOf = <TResult>(request: IDBRequest<TResult>): Promise<TResult> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('The request failed.')))
  })

/** Changes stores in one transaction. Resolves when the changes are in the database. */
export async function change(
  database: IDBDatabase,
  stores: readonly ('keys' | 'recordings' | 'pieces')[],
  act: (store: (name: (typeof stores)[number]) => IDBObjectStore) => unknown,
): Promise<void> {
  // A crash of the machine may cost some seconds. Waiting for the disk at each piece would cost more.
  const transaction = database.transaction([...stores], 'readwrite', { durability: 'relaxed' })
  const done = new Promise<void>((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve())
    transaction.addEventListener('abort', () =>
      reject(transaction.error ?? new Error('The transaction was aborted.')),
    )
  })
  await Promise.all([act((name) => transaction.objectStore(name)), done])
}

/** The pieces of a recording, from a position to before another one. */
export const piecesOf = (id: string, from = 0, before = Infinity): IDBKeyRange =>
  IDBKeyRange.bound([id, from], [id, before], false, true)

export function openStore(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, 1)
  request.onupgradeneeded = () => {
    request.result.createObjectStore('keys', { keyPath: ['url', 'user'] })
    request.result.createObjectStore('recordings', { keyPath: 'id' })
    request.result.createObjectStore('pieces', { keyPath: ['id', 'position'] })
  }
  // Another tab with a later version of this package waits for the change.
  request.onsuccess = () => (request.result.onversionchange = () => request.result.close())
  return resultOf(request)
}
