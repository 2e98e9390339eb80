/** Loads and checks the project of a command, and opens its database. */
import { findMissingOfWays } from '../auth/sign-in-ways.ts'
import type { Config } from '../config/load-config.ts'
import { loadProject, type Project } from '../definitions/load-project.ts'
import { type Finding, findingOfFile, printFinding } from '../definitions/source-file.ts'
import { StartupError } from '../errors.ts'
import { checkFunctions } from '../functions/load-functions.ts'
import { checkEmailTemplates } from '../notify/check-email-templates.ts'
import { checkHidden } from '../notify/check-hidden.ts'
import { checkTemplates } from '../notify/check-templates.ts'
import { checkConditions } from '../query/conditions/check-conditions.ts'
import {
  type Database,
  type Needs,
  requireDatabase,
  timeZoneOf,
  withDatabase,
} from '../runtime/open-database.ts'
import { checkTakers } from '../workflow/check-takers.ts'
import type { Context } from './command.ts'

export type Examined = {
  /** Undefined when a finding is an error. */
  readonly project: Project | undefined
  /** The project if its definitions are valid, whatever else is not. */
  readonly defined: Project | undefined
  /** What could be read in spite of errors. */
  readonly partial: Project | undefined
  readonly findings: readonly Finding[]
}

/** All findings of the checks at a start, in the order of the files. */
export const examineProject = async (config: Config): Promise<Examined> => {
  const { project, partial, findings } = await loadProject(config.PROJECT, config.TIME_ZONE)
  if (!project) return { project, defined: undefined, partial, findings }
  const later = [
    ...checkConditions(project, timeZoneOf(project, config)),
    ...checkTakers(project),
    ...checkTemplates(project),
    ...checkHidden(project),
    ...checkSignIn(project, config),
    ...(await checkFunctions(project)),
    ...(await checkEmailTemplates(project, config)),
  ]
  const all = [...findings, ...later]
  return {
    project: later.some(({ severity }) => severity === 'error') ? undefined : project,
    defined: project,
    partial,
    findings: all,
  }
}

/** The project; throws a StartupError with every error. */
export const openProject = async (
  config: Config,
): Promise<{ project: Project; warnings: readonly Finding[] }> => {
  const { project, findings } = await examineProject(config)
  if (project) return { project, warnings: findings }
  const errors = findings.filter(({ severity }) => severity === 'error')
  throw new StartupError(
    `The project ${config.PROJECT} has ${errors.length === 1 ? 'an error' : `${errors.length} errors`}:\n${errors.map((finding) => `  ${printFinding(finding)}`).join('\n')}`,
  )
}

/** Works on the project and its database, which must have what the command needs. */
export const withProject = async <T>(
  { config, observe }: Context,
  needs: Needs,
  work: (project: Project, database: Database) => Promise<T>,
): Promise<T> => {
  const { project } = await openProject(config)
  return withDatabase(config, observe, async (database) => {
    await requireDatabase(database.pool, project, config, observe, needs)
    return work(project, database)
  })
}

/** Checks that the service has what the ways of signing in need. */
const checkSignIn = (
  { settings, settingsSource: source }: Project,
  config: Config,
): readonly Finding[] => {
  const missing = findMissingOfWays(config, settings)
  if (!missing) return []
  const { isOfOperator, message } = missing
  return [
    isOfOperator || !source
      ? findingOfFile('SIGN_IN', message)
      : source.finding(['signIn', 'ways'], message),
  ]
}
