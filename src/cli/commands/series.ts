/** `docket series`: shows which number each counter gives next, checks them, and raises one. */
import type { Queryable } from '../../database/pool.ts'
import {
  allNumbered,
  findBehind,
  findGaps,
  listCounters,
  printNumber,
  raiseAbove,
} from '../../database/series.ts'
import { transaction } from '../../database/transaction.ts'
import { didYouMean } from '../../did-you-mean.ts'
import { type Command, exitCodes, UsageError } from '../command.ts'
import { withProject } from '../open-project.ts'
import { alignedTable } from '../output.ts'

export const command: Command = {
  usage: '',
  summary: 'Show the next number of each number series, check them, and raise one.',
  options: {
    check: { type: 'boolean', help: 'Show which numbers are missing, or would be given again.' },
    raise: {
      type: 'string',
      value: 'ENTITY.FIELD=NUMBER',
      help: 'Go on after this number, which another system has given.',
    },
  },
  positionals: 0,
  run: async (context) => {
    const { raise, check } = context.options
    if (raise !== undefined && check === true)
      throw new UsageError('--check and --raise cannot be combined.')
    const needs = { command: 'docket series', needs: 'records' } as const
    return withProject(context, needs, async ({ catalog }, { pool }) => {
      const all = allNumbered(catalog.entities.values())
      const { out } = context.terminal
      if (typeof raise === 'string') {
        out(await transaction(pool, (connection) => raiseCounter(connection, all, raise)))
        return exitCodes.done
      }
      const lines = check === true ? await found(pool, all) : []
      if (check === true) out(lines.length > 0 ? `${lines.join('\n')}\n` : 'Nothing is missing.\n')
      else out(await listed(pool, all))
      return lines.length > 0 ? exitCodes.failed : exitCodes.done
    })
  },
}

type Numbered = ReturnType<typeof allNumbered>[number]

const nameOf = ({ entity, column }: Numbered): string => `${entity.key}.${column.name}`

const listed = async (database: Queryable, all: readonly Numbered[]): Promise<string> => {
  if (all.length === 0) return 'No field has a "series" in its definition.\n'
  const rows: string[][] = []
  for (const one of all) {
    const counters = await listCounters(database, one)
    if (counters.length === 0) rows.push([nameOf(one), 'no number yet'])
    for (const counter of counters)
      rows.push([nameOf(one), `${printNumber(one, counter, counter.next)} is next`])
  }
  return `${alignedTable(rows)}\n`
}

const mostGaps = 100

const found = async (database: Queryable, all: readonly Numbered[]): Promise<string[]> => {
  const lines: string[] = []
  for (const one of all) {
    const name = nameOf(one)
    for (const { largest, ...around } of await findBehind(database, one)) {
      const number = printNumber(one, around, largest)
      lines.push(
        `${name}: ${number} would be given again; run docket series --raise ${name}=${number}`,
      )
    }
    if (!one.series.isGapFree) continue
    const gaps = await findGaps(database, one, mostGaps + 1)
    for (const { first, last, ...around } of gaps.slice(0, mostGaps)) {
      const [from, to] = [first, last].map((number) => printNumber(one, around, number))
      lines.push(
        from === to ? `${name}: ${from} is missing` : `${name}: ${from} to ${to} are missing`,
      )
    }
    if (gaps.length > mostGaps) lines.push(`${name}: more are missing`)
  }
  return lines
}

const raiseCounter = async (
  database: Queryable,
  all: readonly Numbered[],
  wanted: string,
): Promise<string> => {
  const [, name = '', number = ''] = /^([^=]*)=(.*)$/s.exec(wanted) ?? []
  const one = all.find((numbered) => nameOf(numbered) === name)
  if (!one)
    throw new UsageError(
      `--raise takes ENTITY.FIELD=NUMBER, and "${name || wanted}" is no series${didYouMean(name || wanted, all.map(nameOf))}`,
    )
  const counter = await raiseAbove(database, one, number)
  const { field } = one.column
  if (!counter)
    throw new UsageError(
      `"${number}" has not the form of ${name}, which is ${field.type === 'string' ? field.series?.format : ''}.`,
    )
  return `${name}  ${printNumber(one, counter, counter.next)} is next\n`
}
