/** `docket seed`: loads the project's example records; running it again changes nothing. */

import { openDatabase, prepareDatabase, timeZoneOf } from '../../open-database.ts'
import { loadSeeds } from '../../seeding/load-seeds.ts'
import { type Command, exitCodes } from '../command.ts'
import { openProject } from '../open-project.ts'

export const seedCommand: Command = {
  name: 'seed',
  usage: '',
  summary: 'Load the records under seed/, all of them or none.',
  options: {},
  positionals: 0,
  run: async ({ config, terminal, observe }) => {
    const { project } = await openProject(config)
    const database = await openDatabase(config, observe)
    const { pool } = database
    try {
      await prepareDatabase(pool, project, config, observe)
      const { files } = await loadSeeds({ pool, project, timeZone: timeZoneOf(project, config) })
      for (const { file, inserted, updated, unchanged } of files)
        terminal.out(`${file}: ${inserted} new, ${updated} changed, ${unchanged} unchanged\n`)
      return exitCodes.done
    } finally {
      await database.close()
    }
  },
}
