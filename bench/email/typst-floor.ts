/**
 * The lower bound of every PDF: Typst called in this process, with the same template, data and fonts as in
 * the service, without a database, another process or HTTP.
 */
import { resolve } from 'node:path'
import { NodeCompiler } from '@myriaddreamin/typst-ts-node-compiler'
import type { Template } from '../../src/documents/typst/engine.ts'
import { fontFamilies, fontPaths } from '../../src/documents/typst/fonts.ts'

const root = resolve('/docket-bench-floor')
const wrapper = resolve(root, '.main.typ')
// As the service does; otherwise the memory grows with every document.
const maxAge = 2

/** Loads the fonts; the result renders a PDF from the text of a JSON object. */
export const openFloor = ({ main, files }: Template) => {
  const workspace = { workspace: root, fontArgs: [{ fontPaths: [...fontPaths] }] }
  const compiler = NodeCompiler.create(workspace)
  for (const [path, bytes] of files) compiler.mapShadow(resolve(root, path), Buffer.from(bytes))
  const families = fontFamilies.map((family) => JSON.stringify(family)).join(', ')
  const head = `#set text(font: (${families}), lang: "en")`
  compiler.mapShadow(wrapper, Buffer.from(`${head}\n#include ${JSON.stringify(main)}\n`))
  return (json: string): { readonly bytes: number; readonly pages: number } => {
    compiler.mapShadow(resolve(root, 'data.json'), Buffer.from(json))
    const { result } = compiler.compile({ mainFilePath: wrapper, resetRead: true })
    if (!result) throw new Error(`The template ${main} has an error.`)
    const creationTimestamp = Math.floor(Date.now() / 1000)
    const pdf = compiler.pdf(result, { pdfStandard: 'a-2b', creationTimestamp })
    const pages = result.numOfPages
    compiler.evictCache(maxAge)
    return { bytes: pdf.byteLength, pages }
  }
}
