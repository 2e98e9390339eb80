/** `docket check`: prints every finding of a project, for people and editors. */
import { functionLimitsOf, functionVariables } from '../../config/process-limits.ts'
import { counted } from '../../counted.ts'
import { checkFiles } from '../../definitions/checks/check-files.ts'
import { type Finding, printFinding } from '../../definitions/source-file.ts'
import { type Coverage, findMissingTexts } from '../../definitions/translations/missing-texts.ts'
import { checkTemplateFolder } from '../../documents/check-templates.ts'
import { openTemplateFolder } from '../../documents/template-folder.ts'
import { loadFunctions } from '../../functions/load-functions.ts'
import { timeZoneOf } from '../../runtime/open-database.ts'
import { checkDocuments } from '../../seeding/checks/check-documents.ts'
import { checkGroups } from '../../seeding/checks/check-groups.ts'
import { checkSeeds } from '../../seeding/checks/check-seeds.ts'
import { type Command, type Context, exitCodes } from '../command.ts'
import { type Examined, examineProject } from '../open-project.ts'
import { alignedTable } from '../output.ts'

export const command: Command = {
  usage: '',
  summary: 'Check a project and report every error with file, line and column.',
  options: {
    json: { type: 'boolean', help: 'Print the findings as JSON, for machines.' },
  },
  positionals: 0,
  run: async (context) => {
    const { config, options, terminal } = context
    const { project, findings: found, ...examined } = await examineProject(config)
    const translated = examined.defined && findMissingTexts(examined.defined)
    const others = await checkOtherFiles(examined, context)
    const findings = [...found, ...(translated?.findings ?? []), ...others]
    const errors = findings.filter(({ severity }) => severity === 'error').length
    if (options.json) terminal.out(`${JSON.stringify(findings, null, 2)}\n`)
    else {
      for (const finding of findings) terminal.out(`${printFinding(finding)}\n`)
      terminal.out(coverageTable(translated?.coverage ?? []))
      const entities = project?.catalog.entities.size ?? 0
      const roles = project?.catalog.roles.size ?? 0
      terminal.out(
        errors === 0
          ? `The project is valid: ${counted(entities, 'entity', 'entities')}, ${counted(roles, 'role')}, ${counted(findings.length, 'warning')}.\n`
          : `${counted(errors, 'error')}, ${counted(findings.length - errors, 'warning')}.\n`,
      )
    }
    return errors === 0 ? exitCodes.done : exitCodes.findings
  },
}

/**
 * Checks what a start loads later: code, templates and seeds. When definitions have errors, checks that
 * depend on them are skipped, because their findings would be misleading.
 */
const checkOtherFiles = async (
  { defined, partial }: Pick<Examined, 'defined' | 'partial'>,
  { config, environment }: Context,
): Promise<Finding[]> => {
  if (!partial) return []
  const { directory } = partial
  const { files } = await openTemplateFolder(directory).read()
  const found = await Promise.all([
    checkFiles(directory),
    loadFunctions(directory, {
      nodeEnv: environment.NODE_ENV ?? 'development',
      variables: functionVariables(environment),
      limits: functionLimitsOf(config),
    }),
    ...(defined
      ? [
          checkSeeds(defined, {
            timeZone: timeZoneOf(defined, config),
            adminEmail: config.ADMIN_EMAIL,
            maxBytes: config.FILES_MAX_BYTES,
          }),
          checkGroups(defined),
          checkDocuments(defined),
        ]
      : [checkTemplateFolder(partial, files, [])]),
  ])
  return found.flat()
}

/** How complete each language is; nothing for a project of one language. */
const coverageTable = (coverage: readonly Coverage[]): string => {
  if (coverage.length === 0) return ''
  const rows = coverage.map(({ language, texts, missing }) => [
    ...[language, `${texts - missing} of ${texts}`, `${missing}`],
  ])
  return `${alignedTable([['Language', 'Translated', 'Missing'], ...rows])}\n`
}
