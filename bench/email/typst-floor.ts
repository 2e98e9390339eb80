/**
 * The floor of every PDF: Typst called in this process, with the same template, data and fonts as the
 * service gives it, without a database, another process, and HTTP.
 */
import { resolve } from 'node:path'
import type { Template } from '../../src/documents/typst/engine.ts'
import { fontFamilies, fontPaths } from '../../src/documents/typst/fonts.ts'

export type Floor = {
  /** Makes a PDF of the text of a JSON object. */
  readonly print: (json: string) => { readonly pdf: Uint8Array; readonly pages: number }
}

const root = resolve('/docket-bench-floor')
const wrapper = resolve(root, '.main.typ')
// As the service does it; without it the memory grows with every document.
const maxAge = 2

/** Loads the engine and its fonts, which is the larger part of a first document. */
export const openFloor = async ({ main, files }: Template): Promise<Floor> => {
  const { NodeCompiler } = await import('@myriaddreamin/typst-ts-node-compiler')
  const compiler = NodeCompiler.create({
    workspace: root,
    fontArgs: [{ fontPaths: [...fontPaths] }],
  })
  for (const [path, bytes] of files) compiler.mapShadow(resolve(root, path), Buffer.from(bytes))
  const families = fontFamilies.map((family) => JSON.stringify(family)).join(', ')
  const head = `#set text(font: (${families}), lang: "en")`
  compiler.mapShadow(wrapper, Buffer.from(`${head}\n#include ${JSON.stringify(main)}\n`))
  return {
    print: (json) => {
      compiler.mapShadow(resolve(root, 'data.json'), Buffer.from(json))
      const { result } = compiler.compile({ mainFilePath: wrapper, resetRead: true })
      if (!result) throw new Error(`The template ${main} has a mistake.`)
      const creationTimestamp = Math.floor(Date.now() / 1000)
      const pdf = compiler.pdf(result, { pdfStandard: 'a-2b', creationTimestamp })
      const pages = result.numOfPages
      compiler.evictCache(maxAge)
      return { pdf, pages }
    },
  }
}
