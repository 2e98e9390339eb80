/** `docket seed`: loads the project's records; existing ones stay unchanged, except with --update. */
import { openBlobStore } from '../../blobs/open-blob-store.ts'
import type { Config } from '../../config/load-config.ts'
import type { Queryable } from '../../database/pool.ts'
import type { Project } from '../../definitions/load-project.ts'
import {
  prepareDatabase,
  requireDatabase,
  timeZoneOf,
  withDatabase,
} from '../../runtime/open-database.ts'
import { type LoadedFile, loadSeeds } from '../../seeding/load-seeds.ts'
import { ensureRoles, makeAdministrator } from '../../users/roles.ts'
import { type Command, exitCodes } from '../command.ts'
import { openProject } from '../open-project.ts'

export const command: Command = {
  usage: '',
  summary: 'Load missing records of seed/, all of them or none.',
  options: {
    update: {
      type: 'boolean',
      help: 'Also update records that differ from their seeds, except those changed by users.',
    },
    plan: { type: 'boolean', help: 'Show what would be written; write nothing.' },
  },
  positionals: 0,
  run: async ({ config, options, terminal, observe }) => {
    const { project } = await openProject(config)
    const [isUpdating, isPlan] = [options.update === true, options.plan === true]
    return withDatabase(config, observe, async ({ pool }) => {
      const needs = { command: 'docket seed --plan', needs: 'records' } as const
      if (isPlan) await requireDatabase(pool, project, config, observe, needs)
      else await prepareDatabase(pool, project, config, observe)
      const timeZone = timeZoneOf(project, config)
      const { files } = await loadSeeds({
        pool,
        project,
        timeZone,
        blobs: openBlobStore(config),
        maxBytes: config.FILES_MAX_BYTES,
        isUpdating,
        isPlan,
        ...(isPlan && { makeFirst: (connection) => makePeople(connection, project, config) }),
      })
      for (const file of files) terminal.out(printFile(file, isPlan))
      if (files.some(({ left }) => left.some(({ reason }) => reason === 'not asked to update')))
        terminal.note(
          'Records that differ from their seeds were not updated; docket seed --update --plan shows what an update would write.\n',
        )
      return exitCodes.done
    })
  },
}

/** Creates the roles and the administrator, because a plan may run before the first start. */
const makePeople = async (connection: Queryable, project: Project, config: Config) => {
  await ensureRoles(connection, project.catalog)
  await makeAdministrator(connection, config.ADMIN_EMAIL)
}

// Maximum number of listed records of a file; others are counted.
const maxShown = 20

const printFile = (loaded: LoadedFile, isPlan: boolean): string => {
  const { file, entityKey, inserted, updated, unchanged, left } = loaded
  const counts = `${file}: ${inserted} new, ${updated.length} changed, ${unchanged} unchanged`
  const lines = [
    ...(isPlan
      ? updated.map(({ id, fields }) => `changes ${entityKey} ${id}: ${fields.join(', ')}`)
      : []),
    ...left
      .filter(({ reason }) => isPlan || reason !== 'not asked to update')
      .map(({ id, reason }) => `leaves ${entityKey} ${id}: ${reason}`),
  ]
  const more = lines.length - maxShown
  const shown = [
    ...lines.slice(0, maxShown),
    ...(more > 0 ? [`… and ${more} more records`] : []),
  ].map((line) => `  ${line}\n`)
  const leaving = left.length > 0 ? `, ${left.length} not updated` : ''
  return `${counts}${leaving}\n${shown.join('')}`
}
