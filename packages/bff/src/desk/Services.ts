import type { Pages } from '../meetings/createPages.js'
import type { Settings } from '../settings/readOptions.js'
import type { Upstream } from '../upstream/createUpstream.js'
import type { Usage } from '../usage/createUsage.js'

/** What the functions of the desk work with. */
export interface Services {
  readonly settings: Settings
  readonly upstream: Upstream
  readonly pages: Pages
  readonly usage: Usage
}
