/** The e-mail templates of a project: `email-templates/<id>.mjml`, read when the service starts. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Finding, printFinding } from '../../definitions/source-file.ts'
import {
  builtInTemplate,
  compileEmailTemplate,
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
}

const folder = 'email-templates'

/** The file of a template, in the folder of a project. */
export const templateFile = (id: string): string => `${folder}/${id}.mjml`

/** The templates of a project besides the built-in one, and the findings of readTemplates. */
export const loadTemplates = async (
  directory: string,
  locale?: string,
): Promise<{ library: TemplateLibrary; findings: readonly Finding[] }> => {
  const { templates, findings } = await readTemplates(directory, locale)
  const broken = new Map(
    findings.map((finding) => [basename(finding.file, '.mjml'), printFinding(finding)]),
  )
  let compiled: Promise<EmailTemplate> | undefined
  const builtIn = () => {
    compiled ??= compileEmailTemplate(builtInTemplate(locale), locale)
    return compiled
  }
  return { library: { templates, broken, builtIn }, findings }
}

/** Reads every template; invalid ones are among the findings. */
export const readTemplates = async (
  directory: string,
  locale?: string,
): Promise<{ templates: TemplateLibrary['templates']; findings: readonly Finding[] }> => {
  const findings: Finding[] = []
  const templates = new Map<string, EmailTemplate>()
  for (const name of await listFiles(join(directory, folder))) {
    const id = basename(name, '.mjml')
    const text = await readFile(join(directory, templateFile(id)), 'utf8')
    try {
      templates.set(id, await compileEmailTemplate(text, locale))
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      const { line, message } = error
      const file = templateFile(id)
      findings.push({ file, line, column: 1, path: '', message, severity: 'error' })
    }
  }
  return { templates, findings }
}

const listFiles = async (directory: string): Promise<string[]> =>
  existsSync(directory)
    ? (await readdir(directory)).filter((name) => name.endsWith('.mjml')).sort()
    : []
