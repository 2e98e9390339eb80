/** `docket database-url`: the URL of the database, for psql and other programs. */
import { join } from 'node:path'
import { findEmbedded } from '../../database/embedded/embedded.ts'
import { StartupError } from '../../errors.ts'
import { withDatabase } from '../../runtime/open-database.ts'
import { type Command, type Context, exitCodes } from '../command.ts'
import { requireExistingDatabase } from '../require-project.ts'
import { stopOnSignal } from '../stop-on-signal.ts'

export const command: Command = {
  usage: '',
  summary: 'Print the URL of the database, for psql.',
  options: {
    'keep-up': {
      type: 'boolean',
      help: 'Start the embedded database if necessary, and keep it running until Ctrl-C.',
    },
  },
  positionals: 0,
  run: async (context) => {
    const { config, options, terminal } = context
    await requireExistingDatabase(config)
    if (options['keep-up'] === true) return keepUp(context)
    const url =
      config.DATABASE_DIRECT_URL ??
      config.DATABASE_URL ??
      (await findEmbedded(join(config.PROJECT, '.docket')))
    if (url === undefined)
      throw new StartupError(
        'The embedded database is not running: it runs with "docket start", or with --keep-up.',
      )
    terminal.out(`${url}\n`)
    return exitCodes.done
  },
}

const keepUp = (context: Context): Promise<number> => {
  const { config, terminal, observe } = context
  return withDatabase(config, observe, async ({ connectionString }) => {
    terminal.out(`${connectionString}\n`)
    terminal.note('Ctrl-C stops it.\n')
    await stopOnSignal(context, async () => undefined)
    return exitCodes.done
  })
}
