/** `docket worker`: runs jobs without answering requests, beside any number of other processes. */
import { emailTransportOf } from '../../config/email-transport.ts'
import { openDatabase, prepareDatabase } from '../../open-database.ts'
import { createWorker } from '../../worker/create-worker.ts'
import { type Command, exitCodes, noMigrateOption, watchOption } from '../command.ts'
import { openProject } from '../open-project.ts'
import { endWith, stopOnSignal } from '../stop-on-signal.ts'

export const command: Command = {
  usage: '',
  summary: 'Run jobs without answering requests.',
  options: { watch: watchOption, 'no-migrate': noMigrateOption },
  positionals: 0,
  run: async (context) => {
    const { config, options, terminal, observe } = context
    emailTransportOf(config)
    const { project } = await openProject(config)
    const database = await openDatabase(config, observe)
    let unfinished = 0
    try {
      const mayMigrate = options['no-migrate'] !== true
      await prepareDatabase(database.pool, project, config, observe, { mayMigrate })
      const worker = createWorker({
        ...{ config, project, observe, connectionString: database.connectionString },
        watch: options.watch === true,
      })
      // Before the first job, which a signal is to let end.
      const stopped = stopOnSignal(context, async () => (await worker).stop())
      const started = worker.then(() =>
        terminal.note(
          `Jobs of ${config.PROJECT} run here, ${config.JOBS_AT_ONCE} at once. Ctrl-C stops; running jobs get ${config.SHUTDOWN_GRACE_SECONDS} s to end.\n`,
        ),
      )
      ;[unfinished] = await Promise.all([stopped, started])
    } finally {
      await endWith(unfinished, database.close)
    }
    observe({ kind: 'serviceStopped' })
    return exitCodes.done
  },
}
