import type { Product } from '@stagepass/contract'
import type { TokenSource } from './TokenSource.js'

/** Where the code of tokens says that it is here, for code that does not import it. A part of the client. */
export function createTokenSlot(): { source: ((product: Product) => TokenSource) | undefined } {
  return { source: undefined }
}
