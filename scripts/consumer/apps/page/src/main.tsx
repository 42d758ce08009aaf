import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Voice } from './Voice.js'

createRoot(document.body.appendChild(document.createElement('main'))).render(
  <StrictMode>
    <Voice />
  </StrictMode>,
)
