/** Starts the console in its page. */
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import './styles/base.css'

const root = document.querySelector('#root')
if (root) createRoot(root).render(<App />)
