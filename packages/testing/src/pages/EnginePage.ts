/** A page in a browser, with the actions that the drivers of all engines support. */
export interface EnginePage {
  /** Presses a button or a radio button, found by its name. `within` is a selector. */
  press(name: string, within?: string): Promise<void>
  /** Presses the first element of a selector. */
  pressFirst(selector: string): Promise<void>
  /** Waits until an element with this text exists. */
  waitFor(selector: string, text?: string): Promise<void>
  /** Waits until the first element of a selector exists, and returns its text. */
  read(selector: string): Promise<string>
  /** Presses the Tab key. */
  tab(): Promise<void>
  /** Leaves the page. */
  close(): Promise<void>
}
