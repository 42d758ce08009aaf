import { StrictMode } from 'react'
import { Playground } from './Playground.js'
import { mountIn } from './ui/mountIn.js'

/** Shows the playground in the element. Returns the function that removes it. */
export const mount = (element: HTMLElement): (() => void) =>
  mountIn(
    element,
    <StrictMode>
      <Playground />
    </StrictMode>,
  )
