/**
 * Runs Typst in the rendering thread. Files are given as bytes under a folder that does not exist, so
 * that no path or link can reach any other file.
 */
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import {
  NodeCompiler,
  type NodeError,
  type NodeTypstDocument,
} from '@myriaddreamin/typst-ts-node-compiler'
import { errorText } from '../../errors.ts'
import { type Diagnostic, maxPicturedPages } from './engine.ts'
import { fontFault, fontPaths, isFont } from './fonts.ts'
import { localModule, localModuleOf } from './local-module.ts'
import { violationsIn } from './pdf-violations.ts'
import { readDiagnostics } from './typst-diagnostics.ts'
import type { PrintFile, RenderRequest } from './typst-messages.ts'
import { type UnprintedScript, unprintedText } from './unprinted.ts'
import { type Mark, markSelector, wrapped } from './wrapper.ts'

// The process has that of the project.
const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()

// No conflict: files of a template folder do not begin with a dot.
const wrapper = '.document.typ'
const sourceFile = '.source.typ'

// Cached layouts unused for this many documents are evicted.
const maxAge = 2

type Made =
  | {
      readonly pdf: Uint8Array
      readonly pages: number
      readonly picture?: string
      readonly marks?: readonly Mark[]
      readonly unprinted: readonly UnprintedScript[]
      readonly diagnostics: Diagnostic[]
    }
  | { readonly diagnostics: Diagnostic[] }

/** Keeps its cache for the next document. */
export class TypstCompiler {
  readonly #root = resolve(`/docket-${randomUUID()}`)
  #compiler: NodeCompiler
  #files: readonly PrintFile[] = []
  #issue: Diagnostic | undefined

  constructor() {
    this.#compiler = this.#start([])
  }

  /** Renders the PDF, or returns the errors of the template. */
  make(request: RenderRequest): Made {
    if (request.files) this.#use(request.files)
    if (this.#issue) return { diagnostics: [this.#issue] }
    const { main, source, json } = request
    const path = source === undefined ? main : sourceFile
    if (source !== undefined) this.#put(sourceFile, source)
    // Next to the template too, where its author may keep sample data under the same name.
    for (const data of dataPaths(path)) this.#put(data, json)
    if (!this.#files.some((file) => file.path === localModule))
      this.#put(localModule, localModuleOf(json, request.locale, timeZone))
    this.#put(wrapper, wrapped(path, request.locale, request.withMarks))
    try {
      return this.#compile(request)
    } finally {
      for (const data of dataPaths(path)) this.#restore(data)
    }
  }

  /** Frees what the last documents needed alone; to be called when a document has been handed over, because it takes a while. */
  tidy(): void {
    this.#compiler.evictCache(maxAge)
  }

  #compile({ main, timestamp, withPicture, withMarks }: RenderRequest): Made {
    const compiled = this.#compiler.compile({ mainFilePath: this.#at(wrapper), resetRead: true })
    const error = compiled.takeError()
    const read = (from: NodeError | null) =>
      from === null ? [] : this.#read(this.#compiler.fetchDiagnostics(from), main)
    const document = compiled.result
    if (error !== null || document === null) return { diagnostics: orUnplaced(read(error)) }
    const warnings = read(compiled.takeWarnings())
    const { pdf, violation } = this.#print(document, timestamp)
    const { unprinted, reasons } = violationsIn(violation)
    const diagnostics = [
      ...warnings,
      ...(unprinted.length > 0 ? [withoutPlace('warning', unprintedText(unprinted))] : []),
      ...reasons.map((one) => withoutPlace('warning', `is plain PDF, not PDF/A: ${one}`)),
    ]
    const pages = document.numOfPages
    const isPictured = withPicture && pages <= maxPicturedPages
    return {
      pdf,
      pages,
      unprinted,
      diagnostics,
      ...(isPictured && { picture: this.#compiler.svg(document) }),
      ...(withMarks && { marks: this.#marksOf(document) }),
    }
  }

  #marksOf(document: NodeTypstDocument): readonly Mark[] {
    return this.#compiler.query(document, { selector: markSelector, field: 'value' })
  }

  /** PDF/A if possible; otherwise plain PDF, with what violates that standard. */
  #print(document: NodeTypstDocument, creationTimestamp: number) {
    try {
      const pdf = this.#compiler.pdf(document, { pdfStandard: 'a-2b', creationTimestamp })
      return { pdf, violation: undefined }
    } catch (error) {
      const pdf = this.#compiler.pdf(document, { pdfStandard: '1.7', creationTimestamp })
      return { pdf, violation: errorText(error) }
    }
  }

  #read(given: readonly unknown[], main: string): Diagnostic[] {
    const named = (path: string) => (path === sourceFile ? main : path)
    return readDiagnostics(given, this.#root)
      .filter(({ file }) => file !== wrapper)
      .map((one) => ({ ...one, file: one.file === undefined ? undefined : named(one.file) }))
  }

  /** A compiler loads fonts only at its start, so changed files need a new one. */
  #use(files: readonly PrintFile[]): void {
    this.#files = files
    this.#issue = undefined
    const fonts = files.filter(({ path, bytes }) => isFont(path) && !fontFault(path, bytes))
    try {
      this.#compiler = this.#start(fonts.map(({ bytes }) => Buffer.from(bytes)))
    } catch (error) {
      const names = fonts.map(({ path }) => path).join(', ')
      this.#issue = withoutPlace('error', `${names}: ${errorText(error)}`)
    }
    for (const { path, bytes } of files) this.#put(path, bytes)
  }

  #start(own: Buffer[]): NodeCompiler {
    // In this order: Typst ignores fonts as bytes after fonts as paths.
    const fontArgs = [
      ...(own.length > 0 ? [{ fontBlobs: own }] : []),
      { fontPaths: [...fontPaths] },
    ]
    return NodeCompiler.create({ workspace: this.#root, fontArgs })
  }

  #put(path: string, content: string | Uint8Array): void {
    this.#compiler.mapShadow(this.#at(path), Buffer.from(content as string))
  }

  #restore(path: string): void {
    const own = this.#files.find((file) => file.path === path)
    if (own) this.#put(path, own.bytes)
    else this.#compiler.unmapShadow(this.#at(path))
  }

  #at(path: string): string {
    return resolve(this.#root, path)
  }
}

const dataPaths = (main: string): string[] => {
  const folder = main.slice(0, main.lastIndexOf('/') + 1)
  return [...new Set(['data.json', `${folder}data.json`])]
}

/** An error without a place in the author's files is still reported. */
const orUnplaced = (found: Diagnostic[]): Diagnostic[] =>
  found.length > 0 ? found : [withoutPlace('error', 'cannot be included')]

const withoutPlace = (severity: Diagnostic['severity'], message: string): Diagnostic => ({
  severity,
  file: undefined,
  line: 1,
  column: 1,
  endColumn: 1,
  message,
})
