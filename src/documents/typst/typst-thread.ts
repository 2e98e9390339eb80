/**
 * The rendering thread in a worker process (processes/worker-program.ts): runs Typst, and reads its diagnostics. Files
 * are given as bytes under a folder that does not exist, so that no path or link can reach any other file.
 */

import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { parentPort } from 'node:worker_threads'
import {
  NodeCompiler,
  type NodeError,
  type NodeTypstDocument,
} from '@myriaddreamin/typst-ts-node-compiler'
import { errorText } from '../../errors.ts'
import type { ThreadMessage, ThreadRequest } from '../../processes/worker-messages.ts'
import {
  type Diagnostic,
  type Mark,
  markSelector,
  maxPicturedPages,
  type PrintFile,
  picturePath,
  type RenderRequest,
  type RenderResult,
  scriptsOf,
  type UnprintedScript,
  unprintedText,
  wrapped,
} from './engine.ts'
import { fontFault, fontPaths, isFont } from './fonts.ts'
import { localModule, localModuleOf } from './local-module.ts'

type Place = { readonly line: number; readonly character: number }
type Reported = {
  readonly message: string
  readonly path: string
  readonly range: { readonly start: Place; readonly end: Place } | null
  readonly severity: number
}

const severities: Readonly<Record<number, Diagnostic['severity']>> = { 1: 'error', 2: 'warning' }

/** Errors and warnings with paths relative to `root`; omits the trace through imports. */
const readDiagnostics = (reported: readonly unknown[], root: string): Diagnostic[] => {
  const seen = new Set<string>()
  return (reported as readonly Reported[]).flatMap((one) => {
    const severity = severities[one.severity]
    const found = severity && {
      ...placeOf(one, root),
      severity,
      message: reworded(one.message, root),
    }
    const printed = JSON.stringify(found)
    if (!found || seen.has(printed)) return []
    seen.add(printed)
    return [found]
  })
}

const placeOf = ({ path, range }: Reported, root: string) => {
  const file = relative(path, root)
  if (file === '' || !range) return { file: file || undefined, line: 1, column: 1, endColumn: 1 }
  const { start, end } = range
  const column = start.character + 1
  const endColumn = end.line === start.line ? end.character + 1 : column + 1
  return { file, line: start.line + 1, column, endColumn: Math.max(endColumn, column + 1) }
}

const relative = (path: string, root: string): string =>
  path.startsWith(root) ? path.slice(root.length + 1).replaceAll('\\', '/') : path

// Texts about Typst's command line and about packages from the network do not apply here.
const rewordings: readonly (readonly [RegExp, string])[] = [
  [
    /^failed to download package.*|^package not found.*|^failed to load package.*/s,
    'packages cannot be imported here: put the files into printable-documents/ and import them from there',
  ],
  [
    /^failed to load file \(access denied\).*/s,
    'files outside of printable-documents/ cannot be read',
  ],
  [/^file not found \(searched at (.*)\)/s, 'there is no file $1 in printable-documents/'],
]

const reworded = (message: string, root: string): string => {
  const plain = message.replaceAll(`${root}/`, '').replaceAll(`${root}\\`, '').replaceAll(root, '')
  const [pattern, text] = rewordings.find(([one]) => one.test(plain)) ?? []
  return pattern ? plain.replace(pattern, text ?? '') : plain.replaceAll(/,? hints: /g, '; ')
}

const maxReasons = 3

const withoutFont = /^the text `"(.+)"` could not be displayed with font/s

/** From the text of its error, which is debugging output of Rust. */
const violationsIn = (
  text: string | undefined,
): { readonly unprinted: readonly UnprintedScript[]; readonly reasons: readonly string[] } => {
  if (text === undefined) return { unprinted: [], reasons: [] }
  const messages = [...text.matchAll(/message: "(?:PDF\/A-2b error: )?((?:[^"\\]|\\.)*)"/gs)].map(
    ([, message = '']) => unescaped(message),
  )
  const characters = messages.flatMap((one) => {
    const [, found] = withoutFont.exec(one) ?? []
    return found === undefined ? [] : [unescaped(found)]
  })
  const others = messages.filter((one) => !withoutFont.test(one))
  const reasons = messages.length === 0 ? ['it violates a rule of the standard'] : others
  return {
    unprinted: scriptsOf(characters),
    reasons: [...new Set(reasons)].slice(0, maxReasons),
  }
}

/** A text as it was before Rust quoted it. */
const unescaped = (text: string): string =>
  text.replaceAll(/\\(?:u\{([0-9a-f]+)\}|(.))/gs, (_, code, other) =>
    code === undefined ? other : String.fromCodePoint(Number.parseInt(code, 16)),
  )

// The process has that of the project.
const { timeZone: projectZone } = new Intl.DateTimeFormat().resolvedOptions()

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
class TypstCompiler {
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
    const { main, source, json, pictures } = request
    const path = source === undefined ? main : sourceFile
    if (source !== undefined) this.#put(sourceFile, source)
    // Next to the template too, where its author may keep sample data under the same name.
    for (const data of dataPaths(path)) this.#put(data, json)
    if (!this.#files.some((file) => file.path === localModule))
      this.#put(
        localModule,
        localModuleOf({ ...request, timeZone: request.timeZone ?? projectZone }),
      )
    const printed = pictures.flatMap((one) => ('bytes' in one ? [one] : []))
    for (const { id, bytes } of printed) this.#put(picturePath(id), bytes)
    this.#put(wrapper, wrapped(path, request.locale, request.withMarks))
    try {
      return this.#compile(request)
    } finally {
      for (const data of dataPaths(path)) this.#restore(data)
      for (const { id } of printed) this.#compiler.unmapShadow(this.#at(picturePath(id)))
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

type Message = ThreadMessage<never, RenderResult>

// A long document's memory is not fully released.
const maxIdleBytes = 512 * 1_048_576

const compiler = new TypstCompiler()

parentPort?.on('message', ({ request, port }: ThreadRequest<RenderRequest>) => {
  const started: Message = { kind: 'started', timeoutMs: request.timeoutMs }
  port.postMessage(started)
  port.postMessage(render(request))
  compiler.tidy()
})

const render = (request: RenderRequest): Message => {
  try {
    const result = compiler.make(request)
    return { kind: 'ended', result, isReusable: process.memoryUsage.rss() <= maxIdleBytes }
  } catch (error) {
    // The engine itself failed: do not reuse its memory.
    const text = `crashed the engine: ${errorText(error)}`
    return { kind: 'ended', result: { failure: { reason: 'crashed', text } }, isReusable: false }
  }
}
