import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Playground } from './Playground.js'
import styles from './playground.css?inline'

/** Shows the playground in the element. Returns the function that removes it. */
export function mount(element: HTMLElement): () => void {
  const root = createRoot(element)
  root.render(
    <StrictMode>
      <style>{styles}</style>
      <Playground />
    </StrictMode>,
  )
  return () => root.unmount()
}
