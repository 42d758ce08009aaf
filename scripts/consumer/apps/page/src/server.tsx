import { renderToString } from 'react-dom/server'
import { Voice } from './Voice.js'

export const render = (): string => renderToString(<Voice />)
