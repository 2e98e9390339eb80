/** `docket worker`: runs jobs without answering requests, next to any number of other processes. */
import { emailTransportOf } from '../../config/email-transport.ts'
import { createObservationHub } from '../../observations.ts'
import { createWorker } from '../../runtime/create-worker.ts'
import { openDatabase, prepareDatabase } from '../../runtime/open-database.ts'
import { openRuntime } from '../../runtime/open-runtime.ts'
import { startTracing } from '../../telemetry/start-tracing.ts'
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
    const stopTracing = await startTracing(config, observe)
    const database = await openDatabase(config, observe)
    let unfinished = 0
    try {
      const mayMigrate = options['no-migrate'] !== true
      await prepareDatabase(database.pool, project, config, observe, { mayMigrate })
      const { connectionString } = database
      const hub = createObservationHub(observe)
      const runtime = openRuntime({ config, project, connectionString, hub })
      const worker = createWorker(runtime, { watch: options.watch === true })
      // Before the first job, so that a signal lets it end.
      const stopped = stopOnSignal(context, async () => {
        const jobs = await (await worker).stop()
        await runtime.close()
        return jobs
      })
      const started = worker.then(() =>
        terminal.note(
          `Jobs of ${config.PROJECT} run here, ${config.JOBS_AT_ONCE} at once. Ctrl-C stops; running jobs get ${config.SHUTDOWN_GRACE_SECONDS} s to end.\n`,
        ),
      )
      ;[unfinished] = await Promise.all([stopped, started])
    } finally {
      await stopTracing()
      await endWith(unfinished, database.close)
    }
    observe({ kind: 'serviceStopped' })
    return exitCodes.done
  },
}
