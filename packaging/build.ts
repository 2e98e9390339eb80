/**
 * Builds the package that npm publishes, into dist or the folder of the argument: a file for each program and for what
 * programs share, instead of two thousand modules that every start would find, read and link (decision 0086).
 */
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'rolldown'
import { isExternal } from './external-packages.ts'
import { keepAddresses } from './keep-addresses.ts'
import { licencesOf } from './licences.ts'

/** Modules that Node.js starts by their paths, as programs or threads. */
const programs = [
  'blobs/thumbnails/thumbnail-thread',
  'cli/main',
  'database/embedded/embedded-watch',
  'documents/typst/typst-thread',
  'export/export-thread',
  'functions/function-thread',
  'import/import-thread',
  'processes/worker-program',
  'runtime/worker-thread',
]

const source = join(import.meta.dirname, '../src')
const folder = process.argv[2] ?? join(import.meta.dirname, '../dist')

mkdirSync(folder, { recursive: true })
// Earlier builds; that of the console is another command's.
const left = readdirSync(folder).filter((name) => name !== 'console')
for (const name of left) rmSync(join(folder, name), { recursive: true })
cpSync(source, folder, { recursive: true, filter: (path) => !path.endsWith('.ts') })
const { output } = await build({
  input: Object.fromEntries(programs.map((path) => [path, join(source, `${path}.ts`)])),
  platform: 'node',
  // Some packages have a copy for browsers' loaders in `main`, whose parts no bundler finds.
  resolve: { mainFields: ['module', 'main'] },
  external: isExternal,
  plugins: [keepAddresses(source)],
  output: { dir: folder, format: 'esm', chunkFileNames: 'chunks/[name]-[hash].js' },
})
const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
writeFileSync(join(folder, 'third-party-licences.txt'), licencesOf(modules))
