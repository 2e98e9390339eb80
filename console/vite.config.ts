/** How the console is built: hashed files that find each other whatever path the service stands under. */
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    // The console needs browsers of 2026 anyway.
    target: 'esnext',
    // The policy of the page allows no inline script.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // All styles are smaller than another request is worth.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        // The first file names all others, so their names are short.
        chunkFileNames: ({ name }) => `assets/${name.slice(0, 8)}-[hash].js`,
        codeSplitting: {
          groups: [
            // Libraries change seldom, so browsers keep them from one version to the next.
            {
              name: 'libraries',
              test: /node_modules|rolldown.runtime/,
              tags: ['$initial'],
              priority: 2,
            },
            { name: 'console', tags: ['$initial'], priority: 1 },
          ],
        },
      },
    },
  },
  experimental: {
    // The service writes its own path into the page; files name each other relatively.
    renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? `/${file}` : { relative: true }),
  },
})
