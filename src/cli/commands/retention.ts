/** `docket retention`: shows what the rules of retention would remove or anonymise now. */
import { planRetention, type RetentionPlan } from '../../personal-data/retention.ts'
import { timeZoneOf } from '../../runtime/open-database.ts'
import { type Command, exitCodes } from '../command.ts'
import { withProject } from '../open-project.ts'
import { alignedTable } from '../output.ts'

export const command: Command = {
  usage: '',
  summary: 'Show which records the service would remove or anonymise, because their time is over.',
  options: {},
  positionals: 0,
  run: async (context) => {
    const needs = { command: 'docket retention', needs: 'records' } as const
    return withProject(context, needs, async (project, { pool }) => {
      const { catalog } = project
      const timeZone = timeZoneOf(project, context.config)
      context.terminal.out(printPlans(await planRetention(pool, { catalog, timeZone })))
      return exitCodes.done
    })
  },
}

const printPlans = (plans: readonly RetentionPlan[]): string =>
  plans.length === 0
    ? 'No entity has "retention" in its definition: records are kept until somebody removes them.\n'
    : `${alignedTable(plans.map(rowOf))}\n`

const rowOf = ({ entityKey, definition, due, linked }: RetentionPlan): readonly string[] => {
  const { after, of = '_created_at', operation } = definition
  const rule = `${operation} ${after} after ${of}`
  const stay = linked > 0 ? `${linked} of them stay until no other record links to them` : ''
  return [entityKey, rule, `${due} due`, stay]
}
