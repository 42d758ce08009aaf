import type { Engine } from '../../packages/testing/src/engines/impossibleCases.js'

/** A window with the demo in it: the little that a series of pictures needs, so that every engine's driver can do it. */
export interface DemoWindow {
  /** Presses a button or a radio button, found by its name. `within` is a selector. */
  press(name: string, within?: string): Promise<void>
  /** Presses what a selector finds first. */
  pressFirst(selector: string): Promise<void>
  /** Until an element is there, with this text in it. */
  waitFor(selector: string, text?: string): Promise<void>
  /** Moves the focus as the Tab key does. */
  tab(): Promise<void>
  /** A picture from the top of the page. */
  shoot(file: string, fullPage: boolean): Promise<void>
  close(): Promise<void>
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
