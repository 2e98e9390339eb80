/** `docket migrate`: applies the definitions to the database, or shows the necessary changes. */
import { storeApplied } from '../../audit/applied-definitions.ts'
import { installCallerTriggers } from '../../auth/callers/caller-change-store.ts'
import { keepMonthsAhead } from '../../inbox/months.ts'
import { syncOptionsOf, withDatabase } from '../../runtime/open-database.ts'
import {
  type Allowed,
  type Change,
  counted,
  isApplied,
  mayTakeLong,
  refusedOf,
} from '../../schema-sync/diff/change.ts'
import { planSync, syncSchema } from '../../schema-sync/sync-schema.ts'
import { listUnknownRoles, type UnknownRole } from '../../users/roles.ts'
import { type Command, exitCodes } from '../command.ts'
import { openProject } from '../open-project.ts'

// Unlike a start, this command has time to compare all records.
const compareMs = 600_000

export const command: Command = {
  usage: '',
  summary: 'Apply the definitions to the database.',
  options: {
    plan: { type: 'boolean', help: 'Show the statements and why they are needed; change nothing.' },
    'allow-destructive': { type: 'boolean', help: 'Also run what could lose data.' },
    'drop-kept': { type: 'boolean', help: 'Also drop columns and tables without a definition.' },
    recalculate: { type: 'boolean', help: 'Calculate all calculated fields again.' },
  },
  positionals: 0,
  run: async ({ config, options, terminal, observe }) => {
    const { project } = await openProject(config)
    const allowDestructive = options['allow-destructive'] === true
    const allowed = { allowDestructive, dropKept: options['drop-kept'] === true }
    const show = (changes: readonly Change[]) => {
      for (const change of changes) terminal.out(printed(change, allowed))
    }
    return withDatabase(config, observe, async ({ pool }) => {
      const isRecalculating = options.recalculate === true
      const sync = { ...syncOptionsOf(pool, project, config), compareMs, isRecalculating }
      if (options.plan === true) {
        const changes = await planSync(sync)
        show(changes)
        const refused = refusedOf(changes, allowDestructive).length
        const runs = changes.filter((change) => isApplied(change, allowed)).length
        terminal.note(
          `${counted(runs, ['statement', 'statements'])} planned${refused > 0 ? `; ${refused} blocked, so nothing would be applied` : ''}.\n`,
        )
        return refused > 0 ? exitCodes.refused : exitCodes.done
      }
      const { applied, left } = await syncSchema({ ...sync, ...allowed, observe })
      await storeApplied(pool, project)
      await installCallerTriggers(pool)
      // Those who run the service may lack the right to do so.
      await keepMonthsAhead(pool)
      show([...applied, ...left])
      terminal.note(`${counted(applied.length, ['statement', 'statements'])} applied.\n`)
      if (!isRecalculating && applied.some(({ isCalculation }) => isCalculation))
        terminal.note(earlierNote)
      for (const one of await listUnknownRoles(pool, project.catalog))
        terminal.note(roleSentence(one))
      return exitCodes.done
    })
  },
}

const earlierNote =
  'Processes of the version before calculate as before, and may have written meanwhile: when none runs any more, run "docket migrate --recalculate"; "docket doctor" says whether values differ.\n'

const roleSentence = ({ role, users }: UnknownRole): string => {
  const who = counted(users, ['user has', 'users have'])
  return role === null
    ? `Warning: ${who} a removed role and have no permissions; assign another one.\n`
    : `Warning: ${who} the role "${role}", which has no file in roles/, and have no permissions; add the file or assign another role.\n`
}

/**
 * A statement with its reason; statements that do not run are SQL comments, so that the output is valid
 * SQL.
 */
const printed = (change: Change, allowed: Allowed): string => {
  const { kind, sql, reason, first } = change
  const mark = {
    safe: '',
    whileKept: '',
    kept: allowed.dropKept ? '' : ' is kept; "docket migrate --drop-kept" drops it',
    destructive: allowed.allowDestructive ? '' : ' (destructive: needs --allow-destructive)',
    blocked: ` (blocked: ${first} first)`,
    warning: '',
  }[kind]
  const isShown = isApplied(change, allowed) || kind === 'destructive'
  const how = mayTakeLong(change) ? ' (may take long; others read and write meanwhile)' : ''
  return `-- ${reason}${how}${mark}\n${isShown ? '' : '-- '}${sql};\n`
}
