import { createRoot } from 'react-dom/client'
import { Home } from './Home.js'
import styles from '../playground.css?inline'

/** Shows a stream in the element. Returns the function that removes it. */
export function mount(element: HTMLElement): () => void {
  const root = createRoot(element)
  root.render(
    <>
      <style>{styles}</style>
      <Home />
    </>,
  )
  return () => root.unmount()
}
