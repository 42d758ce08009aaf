import { until } from './Story'

/** Waits for the button with this text, and presses it. */
export async function press(element: HTMLElement, words: string): Promise<void> {
  const button = await until(() =>
    [...element.querySelectorAll('button')].find(({ textContent }) => textContent === words),
  )
  button.click()
}

/** Waits until the story shows these words. */
export async function shows(element: HTMLElement, words: string): Promise<void> {
  await until(() => element.textContent.includes(words))
}
