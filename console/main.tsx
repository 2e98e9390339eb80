/** Starts the console in its page. */
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { loadTexts, readAhead } from './app/begin.ts'
import { noteMissingParts } from './app/page-problem.tsx'
import { whenUsed } from './parts/later.tsx'
import './styles/base.css'

const removeAfterMs = 3000
// Milliseconds; nothing would be shown before: what is waited for is named only after as long.
const showAfterMs = 300

noteMissingParts()
// Later than the page: few browsers have any.
setTimeout(() => {
  void import('./api/own/export-files.ts')
    .then(({ removeLeftFiles }) => removeLeftFiles())
    .catch(() => undefined)
}, removeAfterMs)
whenUsed(() => {
  void import('./app/keep-focus.ts').then(({ keepFocus }) => keepFocus()).catch(() => undefined)
})
const root = document.querySelector('#root')
const waited = new Promise((resolve) => {
  setTimeout(resolve, showAfterMs)
})
void Promise.race([readAhead().catch(() => undefined), waited])
  .then(loadTexts)
  .then((texts) => {
    if (root) createRoot(root).render(<App texts={texts} />)
  })
