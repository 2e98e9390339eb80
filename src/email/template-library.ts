/** The e-mail templates of a project: `email-templates/<id>.mjml`, read when the service starts. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Finding } from '../definitions/source-file.ts'
import {
  builtInTemplate,
  compileEmailTemplate,
  type EmailTemplate,
  TemplateFault,
} from './email-template.ts'

export type TemplateLibrary = {
  /** By id, which is the name of the file. */
  readonly templates: ReadonlyMap<string, EmailTemplate>
  /** Serves where no template is named. */
  readonly builtIn: EmailTemplate
}

const folder = 'email-templates'

/** Reads every template; what is wrong with one stands among the findings. */
export const loadTemplates = async (
  directory: string,
): Promise<{ library: TemplateLibrary; findings: readonly Finding[] }> => {
  const findings: Finding[] = []
  const templates = new Map<string, EmailTemplate>()
  for (const name of await listFiles(join(directory, folder))) {
    const text = await readFile(join(directory, folder, name), 'utf8')
    try {
      templates.set(basename(name, '.mjml'), await compileEmailTemplate(text))
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error
      const { line, message } = error
      const file = `${folder}/${name}`
      findings.push({ file, line, column: 1, path: '', message, severity: 'error' })
    }
  }
  const builtIn = await compileEmailTemplate(builtInTemplate)
  return { library: { templates, builtIn }, findings }
}

const listFiles = async (directory: string): Promise<string[]> =>
  existsSync(directory)
    ? (await readdir(directory)).filter((name) => name.endsWith('.mjml')).sort()
    : []
