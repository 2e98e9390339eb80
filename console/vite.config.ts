/** How the console is built: hashed files that find each other whatever path the service stands under. */
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

// The floors of the console, from below.
const styleLayers = ['styles', 'parts', 'features', 'pages', 'app']
const styleFile = /\/console\/(\w+)\/[^?]*\.css$/

/** Puts the styles of each floor into a cascade layer, so that a higher floor holds whichever file is loaded first. */
const layerStyles: Plugin = {
  name: 'layer-styles',
  enforce: 'pre',
  transform: {
    filter: { id: styleFile },
    handler: (code, id) =>
      `@layer ${styleLayers.join()}; @layer ${styleFile.exec(id)?.[1]} { ${code} }`,
  },
}

/** Files of the first page, nearly all of whose functions are called at its start. */
const firstFiles = /^assets\/(index|libraries)-[^/]*\.js$/

/**
 * Lets browsers compile the first files whole while they are loaded, in parallel, instead of function by function when each is
 * called (explicit compile hints of V8). The comment counts as the first line alone.
 */
const compileFirstFiles: Plugin = {
  name: 'compile-first-files',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler: (_options, bundle) => {
      for (const file of Object.values(bundle))
        if (file.type === 'chunk' && firstFiles.test(file.fileName))
          file.code = `//# allFunctionsCalledOnLoad\n${file.code}`
    },
  },
}

/** What comes after the first page: few files, which are loaded before they are needed. */
const parts = [
  // Reading and changing a record, also in a list; what knows the telephone numbers of all countries is a file of its own.
  {
    name: 'record',
    test: /\/console\/(pages\/(new-)?record|features\/(forms|record\/(?!removed-|documents-)|tasks\/(?!task-dialog)|lines\/(related\.|line-drafts)|grid\/(save-)?cell))|\/values\/rules\/(?!phone)/,
  },
  {
    name: 'work',
    test: /\/console\/(?!texts\/|(api|pages)\/admin\/|pages\/(import|settings)|api\/(uploads|records\/(imports|files))|features\/(import\/|files\/|lines\/|comments\/|record\/(removed|documents)-|tasks\/task-dialog|administration\/|personal-data\/|account\/(own-(credentials|keys)\/|calendar-address|appearance|notification)|session\/(second-step\/|proof\/proof-dialog)))/,
  },
  // Parts of a record besides its fields: lines, which are typed and pasted, comments, documents, a task, and what a removed one shows.
  {
    name: 'lines',
    test: /\/console\/features\/(lines\/|comments\/|record\/(removed|documents)-|tasks\/task-dialog)/,
  },
  // Files of records: their input, small pictures, and the viewer; few entities have any.
  { name: 'files', test: /\/console\/(api\/(uploads|records\/files)|features\/files\/)/ },
  // Settings: how users and their programs sign in, as they arrange it, their calendars, the second step of a sign-in, and personal
  // data: seldom opened.
  {
    name: 'credentials',
    test: /\/pages\/settings|\/features\/(account\/(own-(credentials|keys)\/|calendar-address|appearance|notification)|personal-data\/|session\/(second-step\/|proof\/proof-dialog))/,
  },
  // Importing files: few users may.
  { name: 'import', test: /\/console\/(pages\/import|api\/records\/imports|features\/import\/)/ },
  { name: 'administration', test: /\/console\/(?!texts\/)/ },
]

/** All texts of a language that are not needed at once are one file. */
const textsOf = (id: string): string => `texts-${/\/texts\/(\w\w)\//.exec(id)?.[1] ?? 'shared'}`

const importTextsOf = (id: string): string => `import-${textsOf(id)}`

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), layerStyles, compileFirstFiles],
  build: {
    outDir: '../dist/console',
    manifest: true,
    emptyOutDir: true,
    // The console needs browsers of 2026 anyway.
    target: 'esnext',
    // The policy of the page allows no inline script.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        chunkFileNames: 'assets/[name]-[hash:7].js',
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
            // All other styles together are smaller than another request is worth.
            { name: 'further', test: styleFile },
            // A group takes what its files import too, so a later one imports from earlier ones alone.
            ...parts,
            {
              name: importTextsOf,
              debugName: 'import-texts',
              test: /\/console\/texts\/\w\w\/import\.ts/,
            },
            { name: textsOf, debugName: 'texts', test: /\/console\/texts\// },
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
