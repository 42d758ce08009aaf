/** A page in a browser: the little that the driver of every engine can do. */
export interface EnginePage {
  /** Presses a button or a radio button, found by its name. `within` is a selector. */
  press(name: string, within?: string): Promise<void>
  /** Presses what a selector finds first. */
  pressFirst(selector: string): Promise<void>
  /** Until an element is there, with this text in it. */
  waitFor(selector: string, text?: string): Promise<void>
  /** Moves the focus as the Tab key does. */
  tab(): Promise<void>
  /** Evaluates an expression in the page; a promise is waited for. */
  evaluate<TValue>(expression: string): Promise<TValue>
  /** Leaves the page. */
  close(): Promise<void>
}
