import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import styles from '../playground.css?inline'
import { ignoreHeldEnter } from './ignoreHeldEnter.js'

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
