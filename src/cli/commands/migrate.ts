/** `docket migrate`: makes the database follow the definitions, or shows what that would take. */

import { prepareJobs } from '../../jobs/prepare-jobs.ts'
import { openDatabase, timeZoneOf } from '../../open-database.ts'
import { planSync, syncSchema } from '../../schema-sync/sync-schema.ts'
import { findLostSteps, lostStepText } from '../../workflow/check-steps.ts'
import { type Command, exitCodes } from '../command.ts'
import { openProject } from '../open-project.ts'

export const migrateCommand: Command = {
  name: 'migrate',
  usage: '',
  summary: 'Make the database follow the definitions.',
  options: {
    plan: { type: 'boolean', help: 'Show the statements and why they are needed; change nothing.' },
    'allow-destructive': { type: 'boolean', help: 'Also run what could lose data.' },
  },
  positionals: 0,
  run: async ({ config, options, terminal, observe }) => {
    const { project } = await openProject(config)
    const database = await openDatabase(config, observe)
    const { pool } = database
    const timeZone = timeZoneOf(project, config)
    try {
      const wish = { pool, catalog: project.catalog, timeZone }
      const allowDestructive = options['allow-destructive'] === true
      const changes = options.plan
        ? await planSync(wish)
        : await syncSchema({ ...wish, observe, allowDestructive })
      if (!options.plan) await prepareJobs(pool)
      for (const { sql, reason, isDestructive, blocked } of changes) {
        const mark = blocked ? ` (blocked: ${blocked})` : isDestructive ? ' (destructive)' : ''
        terminal.out(`-- ${reason}${mark}\n${sql};\n`)
      }
      // Not run: only a person knows which step took the place of the old one.
      for (const lost of await findLostSteps(pool, project.catalog))
        terminal.out(`-- ${lostStepText(lost)} (to do before the start)\n-- ${lost.sql};\n`)
      terminal.note(`${changes.length} statements ${options.plan ? 'planned' : 'applied'}.\n`)
      return exitCodes.done
    } finally {
      await database.close()
    }
  },
}
