import { until } from './Story'

/** Presses a button of a story by what stands on it, as soon as it is there. */
export async function press(element: HTMLElement, words: string): Promise<void> {
  const button = await until(() =>
    [...element.querySelectorAll('button')].find(({ textContent }) => textContent === words),
  )
  button.click()
}

/** Waits until the words stand somewhere in a story. */
export async function shows(element: HTMLElement, words: string): Promise<void> {
  await until(() => element.textContent.includes(words))
}
