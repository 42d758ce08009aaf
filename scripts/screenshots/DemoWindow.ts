import type { Engine } from '../../packages/testing/src/engines/impossibleCases.js'
import type { EnginePage } from '../../packages/testing/src/pages/EnginePage.js'

/** A window with the demo in it, for a series of pictures. */
export interface DemoWindow extends EnginePage {
  /** A picture from the top of the page. */
  shoot(file: string, fullPage: boolean): Promise<void>
}

export interface WindowSize {
  readonly width: number
  readonly height: number
}

export interface Photographer extends AsyncDisposable {
  readonly engine: Engine
  /** Opens the page, with a style sheet of its own added. */
  open(url: string, size: WindowSize, style: string): Promise<DemoWindow>
}
