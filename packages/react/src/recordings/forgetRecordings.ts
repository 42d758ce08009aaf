import { inStorage } from '../platform/inStorage.js'
import type { Client } from '../identity/Client.js'

/** Set while this browser may have recordings, so that no other page loads code to look for them. */
const MARK = 'stagepass recordings'

export const markRecordings = (): void => inStorage('localStorage', (storage) => storage.setItem(MARK, '1'))

/** Deletes at the end of an identity what pages before this one have kept of its user. */
export function forgetRecordings(client: Client): void {
  if (!inStorage('localStorage', (storage) => storage.getItem(MARK))) return
  // The vault of a client that has ended deletes what it finds.
  import('./createVault.js').then(({ vaultOf }) => vaultOf(client)).catch(() => {})
}
