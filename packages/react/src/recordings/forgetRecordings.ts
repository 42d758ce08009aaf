import type { Client } from '../identity/Client.js'
import { isMarked } from './recordingsMark.js'

/** Deletes at the end of an identity what pages before this one have kept of its user. */
export function forgetRecordings(client: Client): void {
  if (!isMarked()) return
  // The vault of a client that has ended deletes what it finds.
  import('./createVault.js').then(({ vaultOf }) => vaultOf(client)).catch(() => {})
}
