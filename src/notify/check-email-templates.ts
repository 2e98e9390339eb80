/** Checks the e-mail templates of a project, and that every named template exists. */
import { createPermissions } from '../auth/permissions.ts'
import { defaultTemplateVariable, templateChoiceOf } from '../config/email-transport.ts'
import type { Config } from '../config/load-config.ts'
import type { Entity } from '../definitions/catalog.ts'
import type { Project } from '../definitions/load-project.ts'
import { type Finding, printFinding } from '../definitions/source-file.ts'
import { didYouMean } from '../did-you-mean.ts'
import type { EmailTemplate } from '../outbox/email/email-template.ts'
import { readTemplates, templateFile } from '../outbox/email/template-library.ts'
import { hiddenNames } from './check-hidden.ts'
import { checkRules, emailVariables, nameIssue } from './check-templates.ts'

type Templates = ReadonlyMap<string, EmailTemplate>

/** Findings in the templates, and at each unknown template name. */
export const checkEmailTemplates = async (project: Project, config: Config): Promise<Finding[]> => {
  const { templates, findings } = await readTemplates(project.directory)
  const invalid = new Set(findings.map(({ file }) => file))
  const isMissing = (id: string) => !templates.has(id) && !invalid.has(templateFile(id))
  const { templates: whose, defaultTemplateId } = templateChoiceOf(config)
  const missing = whose === 'project' ? missingOf(project, config, templates, isMissing) : []
  const unknown = [...templates].flatMap(([id, template]) => {
    const users = usersOf(project, id, defaultTemplateId)
    return [
      ...nameFindings(project, users, id, template),
      ...hiddenFindings(project, id, defaultTemplateId, template),
    ]
  })
  return [...findings, ...unknown, ...missing]
}

/** Entities with a rule whose e-mails use a template. */
const usersOf = ({ catalog }: Project, id: string, usual: string | undefined): Entity[] =>
  [...catalog.entities.values()].filter(({ definition }) =>
    definition.notifications?.some(({ emailTemplateId = usual }) => emailTemplateId === id),
  )

const nameFindings = (
  { catalog }: Project,
  users: readonly Entity[],
  id: string,
  { names }: EmailTemplate,
): Finding[] => {
  const variables = emailVariables(catalog, users)
  const issues = names.flatMap((name) => {
    const message = nameIssue(variables, name)
    return message === undefined ? [] : [{ line: name.line, message }]
  })
  const file = templateFile(id)
  return issues.map((issue) => ({ file, ...issue, column: 1, path: '', severity: 'error' }))
}

/** Names in the template that some of its recipients may not read. */
const hiddenFindings = (
  { catalog }: Project,
  id: string,
  usual: string | undefined,
  { names }: EmailTemplate,
): Finding[] => {
  const rules = [...catalog.entities.values()].flatMap((entity) =>
    (entity.definition.notifications ?? []).flatMap((rule) =>
      (rule.emailTemplateId ?? usual) === id ? [{ entity, rule }] : [],
    ),
  )
  const deps = { catalog, permissions: createPermissions(catalog) }
  const place = { file: templateFile(id), column: 1, path: '', severity: 'warning' } as const
  const found = hiddenNames(deps, rules, names).map(({ name: { line }, message }) => ({
    ...place,
    line,
    message,
  }))
  // Rules with the same recipients share a sentence.
  return [...new Map(found.map((finding) => [printFinding(finding), finding])).values()]
}

const missingOf = (
  project: Project,
  config: Config,
  templates: Templates,
  isMissing: (id: string) => boolean,
): Finding[] => {
  const named = checkRules(project, ({ rule: { emailTemplateId: id } }) => {
    if (id === undefined || !isMissing(id)) return []
    const message = builtInServes(id, templates)
    return [{ path: ['emailTemplateId'], message, severity: 'warning' }]
  })
  const { defaultTemplateId: usual } = templateChoiceOf(config)
  if (usual === undefined || !isMissing(usual)) return named
  const message = `${noFile(usual, templates)}; ${defaultTemplateVariable(config)} names it`
  const place = { file: templateFile(usual), line: 1, column: 1, path: '' }
  return [...named, { ...place, message, severity: 'error' }]
}

// It may be a template at a provider that is used elsewhere: here the built-in one is used.
const builtInServes = (id: string, templates: Templates): string =>
  `there is no file ${templateFile(id)}, so the built-in template is used${didYouMean(id, templates.keys())}`

const noFile = (id: string, templates: Templates): string =>
  `there is no file ${templateFile(id)}${didYouMean(id, templates.keys())}`
