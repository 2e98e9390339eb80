/** Modules find their files, and the programs that they start, next to themselves: bundled ones do so too. */
import type { Plugin } from 'rolldown'

const written = /__addressOfModule\("([^"]+)"\)/g

/** Makes `import.meta.url` of the modules of a folder the address that the module would have, were it not bundled. */
export const keepAddresses = (folder: string): Plugin => ({
  name: 'keep-addresses',
  transform: (code, id) => {
    if (!id.startsWith(folder) || !code.includes('import.meta.url')) return null
    const path = id.slice(folder.length + 1).replace(/\.ts$/, '.js')
    return code.replaceAll('import.meta.url', `__addressOfModule("${path}")`)
  },
  renderChunk: (code, { fileName }) => {
    const root = '../'.repeat(fileName.split('/').length - 1) || './'
    return code.replaceAll(
      written,
      (_, path: string) => `new URL("${root}${path}", import.meta.url).href`,
    )
  },
})
