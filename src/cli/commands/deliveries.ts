/** `docket deliveries`: shows whether this database sends and what waits in it, and lets a copy send. */
import { counted } from '../../counted.ts'
import { isSendingDatabase, makeSendingDatabase } from '../../database/sending-database.ts'
import { transaction } from '../../database/transaction.ts'
import { countWaiting, dropWaiting } from '../../outbox/delivery-list.ts'
import { requireDatabase, withDatabase } from '../../runtime/open-database.ts'
import { type Command, exitCodes, UsageError } from '../command.ts'
import { openProject } from '../open-project.ts'
import { requireExistingDatabase } from '../require-project.ts'

export const command: Command = {
  usage: '',
  summary: 'Show whether this database sends e-mails, and let a copy send.',
  options: {
    'accept-copy': { type: 'boolean', help: 'Let this database send from now on.' },
    'drop-waiting': {
      type: 'boolean',
      help: 'With --accept-copy: drop what waits now.',
    },
  },
  positionals: 0,
  run: async ({ config, options, terminal, observe }) => {
    const isDropping = options['drop-waiting'] === true
    if (isDropping && options['accept-copy'] !== true)
      throw new UsageError('--drop-waiting requires --accept-copy.')
    const { project } = await openProject(config)
    await requireExistingDatabase(config)
    return withDatabase(config, observe, async ({ pool }) => {
      const needs = { command: 'docket deliveries', needs: 'own tables' } as const
      await requireDatabase(pool, project, config, observe, needs)
      if (options['accept-copy'] === true)
        await transaction(pool, async (connection) => {
          if (isDropping) await dropWaiting(connection)
          await makeSendingDatabase(connection)
        })
      const { emails, jobs } = await countWaiting(pool)
      const state = (await isSendingDatabase(pool)) ? sends : held
      const waiting = [counted(emails, 'e-mail'), counted(jobs, 'job')].join(', ')
      terminal.out(`${state}\nWaiting: ${waiting}.\n`)
      return exitCodes.done
    })
  },
}

const sends = 'This database sends.'
const held =
  'This database is a copy, or was restored: jobs and e-mails wait. --accept-copy lets it send.'
