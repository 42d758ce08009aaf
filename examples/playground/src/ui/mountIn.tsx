import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import styles from '../playground.css?inline'

/** Shows `children` in the element, with the styles of the playground. Returns a function that removes it. */
export function mountIn(element: HTMLElement, children: ReactNode): () => void {
  const root = createRoot(element)
  element.addEventListener('keydown', ignoreHeldEnter)
  root.render(
    <>
      <style>{styles}</style>
      {children}
    </>,
  )
  return () => {
    element.removeEventListener('keydown', ignoreHeldEnter)
    root.unmount()
  }
}

/** A key that is held down clicks again and again. A switch would go back and forth. */
function ignoreHeldEnter(event: KeyboardEvent): void {
  const isOnButton = event.target instanceof Element && event.target.closest('button, summary') !== null
  if (event.repeat && event.key === 'Enter' && isOnButton) event.preventDefault()
}
