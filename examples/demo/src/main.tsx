import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/App.js'

const root = document.querySelector('#root')
if (!root) throw new Error('Failed to start the page: index.html has no #root.')

createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
