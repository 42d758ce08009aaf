import { mountIn } from '../ui/mountIn.js'
import { Home } from './Home.js'

/** Shows a stream in the element. Returns the function that removes it. */
export const mount = (element: HTMLElement): (() => void) => mountIn(element, <Home />)
