/** The e-mail templates of a project: `email-templates/<id>.mjml`, read when the service starts. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Finding, printFinding } from '../../definitions/source-file.ts'
import {
  builtInTemplate,
  compileEmailTemplate,
  digestTemplate,
  type EmailTemplate,
  TemplateError,
} from './email-template.ts'

export type TemplateLibrary = {
  /** By id, which is the name of the file. */
  readonly templates: ReadonlyMap<string, EmailTemplate>
  /** The issues of templates that cannot be used, by id. */
  readonly broken: ReadonlyMap<string, string>
  /** The default template; compiled at its first use. */
  readonly builtIn: () => Promise<EmailTemplate>
  /** That of digests; compiled at its first use. */
  readonly digest: () => Promise<EmailTemplate>
  /** The same templates with what the service itself says in another language; compiled at their first use. */
  readonly inLanguage: (locale: string | undefined) => Promise<TemplateLibrary>
}

/** The templates of the start, or the current ones. */
export type LibraryOf = () => Promise<TemplateLibrary>

const folder = 'email-templates'

/** The file of a template, in the folder of a project. */
export const templateFile = (id: string): string => `${folder}/${id}.mjml`

/** The templates of a project besides the built-in one, and the findings of readTemplates. */
export const loadTemplates = async (
  directory: string,
  locale?: string,
): Promise<{ library: TemplateLibrary; findings: readonly Finding[] }> => {
  const texts = await readTexts(directory)
  const kept = new Map<string | undefined, Promise<TemplateLibrary>>()
  const inLanguage = (wanted: string | undefined): Promise<TemplateLibrary> => {
    const made = kept.get(wanted) ?? compileAll(texts, wanted).then((all) => libraryOf(all, wanted))
    kept.set(wanted, made)
    return made
  }
  const libraryOf = (
    { templates, findings }: Compiled,
    own: string | undefined,
  ): TemplateLibrary => {
    const broken = new Map(
      findings.map((finding) => [basename(finding.file, '.mjml'), printFinding(finding)]),
    )
    const builtIn = compiledOnce(() => compileEmailTemplate(builtInTemplate(own), own))
    const digest = compiledOnce(() => compileEmailTemplate(digestTemplate(own), own))
    return { templates, broken, builtIn, digest, inLanguage }
  }
  const all = await compileAll(texts, locale)
  const library = libraryOf(all, locale)
  kept.set(locale, Promise.resolve(library))
  return { library, findings: all.findings }
}

const compiledOnce = (compile: () => Promise<EmailTemplate>) => {
  let compiled: Promise<EmailTemplate> | undefined
  return () => {
    compiled ??= compile()
    return compiled
  }
}

type Texts = ReadonlyMap<string, string>
type Compiled = {
  readonly templates: TemplateLibrary['templates']
  readonly findings: readonly Finding[]
}

/** Reads every template; invalid ones are among the findings. */
export const readTemplates = async (directory: string): Promise<Compiled> =>
  compileAll(await readTexts(directory))

/** The files, by the ids of their templates. */
const readTexts = async (directory: string): Promise<Texts> => {
  const texts = new Map<string, string>()
  for (const name of await listFiles(join(directory, folder))) {
    const id = basename(name, '.mjml')
    texts.set(id, await readFile(join(directory, templateFile(id)), 'utf8'))
  }
  return texts
}

const compileAll = async (texts: Texts, locale?: string): Promise<Compiled> => {
  const findings: Finding[] = []
  const templates = new Map<string, EmailTemplate>()
  for (const [id, text] of texts)
    try {
      templates.set(id, await compileEmailTemplate(text, locale))
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      const { line, message } = error
      const file = templateFile(id)
      findings.push({ file, line, column: 1, path: '', message, severity: 'error' })
    }
  return { templates, findings }
}

const listFiles = async (directory: string): Promise<string[]> =>
  existsSync(directory)
    ? (await readdir(directory)).filter((name) => name.endsWith('.mjml')).sort()
    : []
