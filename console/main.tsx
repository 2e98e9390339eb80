/** Starts the console in its page. */
import { createRoot } from 'react-dom/client'
import { removeLeftFiles } from './api/own/export-files.ts'
import { App } from './app/app.tsx'
import { keepFocus } from './app/keep-focus.ts'
import { reloadStalePages } from './app/reload-stale.ts'
import './styles/base.css'

reloadStalePages()
void removeLeftFiles()
keepFocus()
const root = document.querySelector('#root')
if (root) createRoot(root).render(<App />)
